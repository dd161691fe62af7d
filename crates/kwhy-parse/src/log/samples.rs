//! A sample line of each format, for tests.

use kwhy_model::Format;

pub(super) const SAMPLES: &[(Format, &str)] = &[
    (
        Format::KubeAudit,
        r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","requestURI":"/api/v1/pods","verb":"list","user":{"username":"quay"},"responseStatus":{"code":403,"message":"no"},"stageTimestamp":"2024-03-04T05:06:07.125000Z"}"#,
    ),
    (
        Format::JsonLog,
        r#"{"level":"error","ts":1709528767.5,"msg":"berth is full","err":{"message":"no","stack":"x\n at y"}}"#,
    ),
    (
        Format::JsonLog,
        r#"{"level":"info","ts":"2024-03-04T05:06:07Z","logger":"postgres","msg":"record","record":{"error_severity":"FATAL","message":"berth is full"}}"#,
    ),
    (
        Format::Capnslog,
        "2024-03-04 05:06:07.123456 W | etcdserver: berth is full",
    ),
    (
        Format::Capnslog,
        "2024-03-04 05:06:07.123456 [main.go:7] E | berth is full",
    ),
    (
        Format::Postgresql,
        "2024-03-04 05:06:07.123 UTC [42] quay@tides FATAL:  berth is full",
    ),
    (
        Format::Redis,
        "17:S 04 Mar 2024 05:06:07.123 # berth is full",
    ),
    (Format::Redis, "17:M 04 Mar 05:06:07.123 * berth is free"),
    (Format::Redis, "[17] 04 Mar 05:06:07.123 # berth is full"),
    (
        Format::Ceph,
        "2024-03-04T05:06:07.123+0000 7f0a1b2c3d40 -1 osd.7 berth is full",
    ),
    (
        Format::Ceph,
        "debug 2024-03-04T05:06:07.123+0000 7f0a1b2c3d40  0 mon.a@0(leader) e3 ready",
    ),
    (
        Format::RubyLogger,
        "E, [2024-03-04T05:06:07.123456 #17] ERROR -- quay: berth is full",
    ),
    (
        Format::RubyLogger,
        "I, [2024-03-04T05:06:07.123456 #17]  INFO -- : berth is free",
    ),
    (Format::Bitnami, "quay 05:06:07.12 ERROR ==> berth is full"),
    (Format::Bitnami, "quay 05:06:07.12 "),
    (Format::Bitnami, "WARN  ==> tide is low"),
    (
        Format::Monolog,
        "[2024-03-04 05:06:07] production.ERROR: berth is full {\"berth\":7} []",
    ),
    (
        Format::Monolog,
        "[2024-03-04T05:06:07.123456+00:00] app.WARNING: tide is low",
    ),
    (
        Format::Hclog,
        "2024-03-04T05:06:07.123Z [ERROR] quay.crane: lift failed: error=\"no \\\"arm\\\"\" retries=3 list=[a, \"b c\"]",
    ),
    (
        Format::Hclog,
        "2024-03-04T05:06:07.123+0200 [INFO]  quay: ready",
    ),
    (
        Format::ZerologConsole,
        "2024-03-04T05:06:07Z ERR quay/main.go:10 > lift failed error=\"no arm\" pod={\"a\":\"b c\"} key with blanks=1",
    ),
    (
        Format::Logrus,
        "ts=2024-03-04T05:06:07Z caller=quay.go:7 component=crane err=\"berth is full\"",
    ),
    (Format::ZerologConsole, "5:06AM INF ready n=7"),
    (Format::JvmUnified, "[0.012s][info][gc] Using Serial"),
    (
        Format::JvmUnified,
        "[2024-03-04T05:06:07.123+0000][1][7][warning][os,thread] no thread",
    ),
    (Format::PinoPretty, "[05:06:07.123] INFO (17): ready"),
    (
        Format::PinoPretty,
        "[2024-03-04 05:06:07.123 +0000] ERROR (quay/17 on berth-1): no",
    ),
    (
        Format::SpringBoot,
        "2024-03-04 05:06:07.123  WARN 7 --- [           main] io.harbour.Quay                          : tide is low",
    ),
    (
        Format::SpringBoot,
        "2024-03-04T05:06:07.123Z ERROR 1 --- [quay] [main] io.harbour.Quay : lift failed",
    ),
    (
        Format::Logback,
        "05:06:07.123 [main] ERROR io.harbour.Quay - lift failed",
    ),
    (
        Format::Logback,
        "2024-03-04T05:06:07,123 [main] INFO  io.harbour.Quay - ready",
    ),
    (
        Format::NginxError,
        "2024/03/04 05:06:07 [error] 31#31: *7 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.7, server: quay, request: \"GET /d?y=\"q\" HTTP/1.1\", upstream: \"http://10.0.1.2:80/\", host: \"quay\"",
    ),
    (
        Format::NginxError,
        "nginx: [emerg] host not found in upstream \"quay\" in /etc/nginx/nginx.conf:3",
    ),
    (Format::GoLog, "2024/03/04 05:06:07 listening on :80"),
    (
        Format::GoLog,
        "2024/03/04 05:06:07.123456 main.go:10: lift failed",
    ),
    (
        Format::GoLog,
        "2024/03/04 05:06:07 ERROR a=b, lift failed err=\"no arm\" n=7",
    ),
    (Format::GoLog, "[quay] 2024/03/04 05:06:07 ready"),
    (
        Format::GoLog,
        "2024/03/04 05:06:07 main.go:7: \"level\"=1 \"msg\"=\"ready\" \"n\"=7",
    ),
    (
        Format::ZapConsole,
        "2024-03-04T05:06:07.123Z\tERROR\tquay\tquay/main.go:7\tlift failed\t{\"n\": 7}",
    ),
    (
        Format::ZapConsole,
        "2024-03-04T05:06:07.123456Z\twarning\tenvoy config x/y.cc:7\tclosed\tthread=15",
    ),
    (
        Format::NginxAccess,
        "10.0.0.7 - - [04/Mar/2024:05:06:07 +0000] \"GET /\\xD0\\xBA HTTP/1.1\" 502 157 \"-\" \"quay \\x22q\\x22\"",
    ),
    (
        Format::NginxAccess,
        "fd00::7 - bob [04/Mar/2024:05:06:07 +0000] \"GET / HTTP/1.1\" 502 157 \"-\" \"-\" 142 0.000 [shop-web-80] [] 10.0.0.1:80, 10.0.0.2:80 0, 0 0.000, 0.001 502, 502 7b13",
    ),
    (
        Format::Envoy,
        "[2024-03-04 05:06:07.123][15][warning][config] [source/x/y.cc:163] closed",
    ),
    (
        Format::EnvoyAccess,
        "[2024-03-04T05:06:07.123Z] \"GET / HTTP/1.1\" 503 UF 0 91 3 - \"-\" \"quay\" \"id\" \"host\" \"10.0.1.2:80\"",
    ),
    (
        Format::Kernel,
        "[12345.678901] Memory cgroup out of memory: Killed process 4321 (java) total-vm:48kB, anon-rss:26kB, UID:7 oom_score_adj:986",
    ),
    (
        Format::Kernel,
        "<4>[   12.500000] [    T12] oom-kill:constraint=CONSTRAINT_MEMCG,task=java,pid=7",
    ),
    (Format::Kernel, "[Mon Mar  4 05:06:07 2024] link is up"),
    (
        Format::TextLog,
        "[2024-03-04T05:06:07.123456Z ERROR quay::crane] lift failed",
    ),
    (
        Format::TextLog,
        "04/Mar/2024 05:06:07 | warning | quay.crane:lift:7 - tide is low n=7 berth=\"a b\"",
    ),
    (Format::PythonLogging, "ERROR:quay.crane:lift failed"),
    (
        Format::PythonLogging,
        "2024-03-04 05:06:07,123 - quay.crane - ERROR - lift failed",
    ),
    (
        Format::PythonLogging,
        "[2024-03-04 05:06:07 +0000] [7] [ERROR] lift failed",
    ),
    (
        Format::Klog,
        "E0304 05:06:07.123456       1 quay.go:7] \"Lift failed\" err=\"no arm\"",
    ),
    (
        Format::Logrus,
        "time=\"2024-03-04T05:06:07Z\" level=error msg=\"lift failed\" n=7",
    ),
    (
        Format::Logrus,
        "ERRO[0012] lift failed                                   error=\"no arm\"",
    ),
    (
        Format::JavaUtilLogging,
        "Mar 04, 2024 5:06:07 AM io.harbour.Quay start",
    ),
    (
        Format::Coredns,
        "[ERROR] plugin/errors: 2 quay.example.test. A: read udp 10.0.0.9:40000->10.0.0.2:53: i/o timeout",
    ),
    (Format::Leveled, "[ERROR] lift failed"),
    (Format::Leveled, "WARNING: tide is low"),
    (Format::Leveled, "warn: tide is low {\"metres\":1.5}"),
    (
        Format::LogrFuncr,
        "quay.crane: \"level\"=0 \"msg\"=\"ready\" \"n\"={\"a\":1}",
    ),
    (
        Format::LogrFuncr,
        "\"msg\"=\"lift failed\" \"error\"=\"no arm\" \"caller\"={\"file\":\"a.go\",\"line\":7}",
    ),
    (Format::Plain, "panic: lift failed"),
];
