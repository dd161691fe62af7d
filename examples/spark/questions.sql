-- The questions of a support team to the table of findings. Every bundle has at least one row; one without a finding has
-- no cause. Customers and versions are what the folders of the store say: customer=acme/version=2.4/day=2024-03-04/.

-- name: causes by version and customer
SELECT tags['version'] AS version, tags['customer'] AS customer, cause,
       count(DISTINCT bundle) AS bundles, round(avg(confidence), 2) AS confidence
FROM findings
WHERE role = 'cause'
GROUP BY ALL
ORDER BY bundles DESC, version, customer, cause;

-- name: new causes this week
SELECT cause, min(day) AS since, count(DISTINCT bundle) AS bundles,
       count(DISTINCT tags['customer']) AS customers
FROM findings
WHERE role = 'cause'
GROUP BY cause
HAVING min(day) > string(date_sub(date(:today), 7)) AND min(day) <= :today
ORDER BY bundles DESC, cause;

-- name: bundles like this one
WITH causes AS (
  SELECT DISTINCT bundle, cause FROM findings WHERE role = 'cause'
),
sizes AS (
  SELECT bundle, count(*) AS causes FROM causes GROUP BY bundle
),
common AS (
  SELECT other.bundle, count(*) AS common, collect_list(other.cause) AS causes
  FROM causes this JOIN causes other USING (cause)
  WHERE this.bundle = :bundle AND other.bundle <> :bundle
  GROUP BY other.bundle
)
SELECT common.bundle, round(common / (mine.causes + theirs.causes - common), 2) AS likeness,
       array_sort(common.causes) AS common_causes
FROM common
JOIN sizes theirs ON theirs.bundle = common.bundle
JOIN sizes mine ON mine.bundle = :bundle
ORDER BY likeness DESC, bundle
LIMIT 20;

-- name: bundles that were not read whole
SELECT DISTINCT bundle, error, transform(limits, met -> met.limit) AS limits
FROM findings
WHERE error IS NOT NULL
   OR exists(limits, met -> met.limit IN ('damaged', 'interrupted', 'member-size', 'members', 'nesting', 'ratio', 'time',
                                          'total-size', 'unreadable', 'unsupported'))
ORDER BY bundle;
