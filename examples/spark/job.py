"""Diagnoses the bundles of a store and keeps their findings as Parquet, partitioned by the day at which they came in.

A day is written as a whole, and takes the place of what was there: a run that failed is run again, and nothing is lost or twice.
Days of which nothing changed since are passed over.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, Set, Tuple

from kwhy_spark import NO_DAY, KwhyDataSource, bundles
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.utils import AnalysisException

HERE = Path(__file__).resolve().parent


def session(master: str | None = None, **settings: str) -> SparkSession:
    """A session that knows the data source, and of which a write replaces the days in it."""
    builder = SparkSession.builder.appName("kwhy")
    if master:
        builder = builder.master(master)
    builder = builder.config("spark.sql.sources.partitionOverwriteMode", "dynamic")
    builder = builder.config("spark.sql.session.timeZone", "UTC")
    # smaller than Spark's default, snappy, whose Java package fails on a glibc system that also has musl installed
    builder = builder.config("spark.sql.parquet.compression.codec", "zstd")
    builder = builder.config("spark.ui.enabled", "false")
    for name, value in settings.items():
        builder = builder.config(name.replace("__", "."), value)
    spark = builder.getOrCreate()
    spark.dataSource.register(KwhyDataSource)
    return spark


def stored(spark: SparkSession, output: str) -> Dict[str, Set[Tuple[str, int]]]:
    """The bundles of each day that the output has, with their sizes."""
    try:
        table = spark.read.parquet(output)
    except AnalysisException:
        return {}
    days = defaultdict(set)
    for row in table.select("day", "bundle", "bytes").distinct().collect():
        days[str(row.day)].add((row.bundle, row.bytes))
    return days


def changed(spark: SparkSession, source: str, output: str, options: Dict[str, str]) -> List[str]:
    """The days whose bundles are not those of the output."""
    there = defaultdict(set)
    for bundle in bundles(source, {name.lower(): value for name, value in options.items()}):
        there[str(bundle.day or NO_DAY)].add((bundle.name, bundle.size))
    known = stored(spark, output)
    return sorted(day for day in there if known.get(day) != there[day])


def findings(spark: SparkSession, source: str, options: Dict[str, str], what: str = "findings") -> DataFrame:
    return spark.read.format("kwhy").options(what=what, **options).load(source)


def run(spark: SparkSession, source: str, output: str, options: Dict[str, str], again: bool = False) -> int:
    """Writes the days that changed, and says how many there are."""
    # the rows of one day go to few files, and to the same ones in every run
    days = None if again else changed(spark, source, output, options)
    if days == []:
        return 0
    # each day is a listing of its own, so that other days are not read
    rows = findings(spark, source, {**options, **({} if days is None else {"days": ",".join(days)})})
    rows = rows.withColumn("day", f.coalesce(f.col("day").cast("string"), f.lit(NO_DAY)))
    rows.write.mode("overwrite").partitionBy("day").parquet(output)
    return len(days or [])


def ask(spark: SparkSession, output: str, today: str, bundle: str) -> Dict[str, DataFrame]:
    """The answers to the questions of ``questions.sql``, by their names."""
    spark.read.parquet(output).createOrReplaceTempView("findings")
    answers = {}
    for part in (HERE / "questions.sql").read_text().split("-- name: ")[1:]:
        name, query = part.split("\n", 1)
        answers[name.strip()] = spark.sql(query, args={"today": today, "bundle": bundle})
    return answers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="file:///bundles, s3a://bucket/folder")
    parser.add_argument("output", help="the folder of the Parquet files")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the data source")
    parser.add_argument("--again", action="store_true", help="also days of which nothing changed")
    parser.add_argument("--today", help="ask the questions as of this day")
    parser.add_argument("--like", default="", metavar="BUNDLE", help="ask for bundles like this one")
    args = parser.parse_args()
    options = dict(each.split("=", 1) for each in args.option)
    spark = session()
    try:
        days = run(spark, args.source, args.output, options, args.again)
        print(f"{days} days written" if not args.again else "all days written")
        if args.today:
            for name, answer in ask(spark, args.output, args.today, args.like).items():
                print(f"\n== {name}")
                answer.show(20, truncate=120)
    finally:
        spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
