use proptest::prelude::*;

use super::*;
use crate::input::lines;

fn read(text: &str) -> Parsed<'_> {
    parse(&lines(text).collect::<Vec<_>>())
}

fn objects(text: &str) -> Vec<Object<'_>> {
    let parsed = read(text);
    assert_eq!(parsed.not_understood, Vec::<u64>::new(), "{text}");
    parsed.objects
}

fn squeeze(text: &str) -> String {
    text.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect()
}

/// Renders the rows as `Kind namespace/name key=value ...`.
fn render(objects: &[Object<'_>]) -> Vec<String> {
    objects
        .iter()
        .map(|object| {
            let fields: Vec<String> = object
                .fields
                .iter()
                .map(|(key, value)| format!("{key}={}", value.to_text().unwrap()))
                .collect();
            format!("{} {}", object.subject, fields.join(" "))
        })
        .collect()
}

/// Parses a table as printed and squeezed to single spaces; both must give the same rows.
fn parse_both(text: &str) -> Vec<String> {
    let rows = render(&objects(text));
    assert_eq!(render(&objects(&squeeze(text))), rows);
    rows
}

#[test]
fn pods() {
    let rows = parse_both("\
NAMESPACE   NAME       READY   STATUS                  RESTARTS       AGE     IP           NODE     NOMINATED NODE   READINESS GATES
pay         ledger-0   0/1     Init:CrashLoopBackOff   6 (3m19s ago)  9m30s   10.4.1.77    rack-7   <none>           <none>
...
pay         trainer    0/1     Pending                 0              19h     <none>       <none>   rack-2           0/1");
    assert_eq!(
        rows,
        [
            "Pod pay/ledger-0 ready=0/1 status=Init:CrashLoopBackOff restarts=6 \
             last_restart_age_s=199 age_s=570 ip=10.4.1.77 node=rack-7 nominated_node=<none> \
             readiness_gates=<none>",
            "Pod pay/trainer ready=0/1 status=Pending restarts=0 age_s=68400 ip=<none> \
             node=<none> nominated_node=rack-2 readiness_gates=0/1",
        ]
    );
}

#[test]
fn marks_around_a_cell_are_not_of_it() {
    let rows = objects(
        "\
NAME    READY   STATUS                     RESTARTS   AGE
oven    0/1     _**ErrImageNeverPull**_    0          10s
mill    0/1     `Pending`                  0          10s
",
    );
    let status = |row: &Object<'_>| row.fields.text("status").map(|text| text.into_owned());
    let all: Vec<_> = rows.iter().filter_map(status).collect();
    assert_eq!(all, ["ErrImageNeverPull", "Pending"]);
    let hosts = objects(
        "\
NAME   CLASS   HOSTS   ADDRESS   PORTS   AGE
oven   nginx   *                 80      10s
",
    );
    assert_eq!(hosts[0].fields.text("hosts").as_deref(), Some("*"));
}

#[test]
fn spans_point_at_the_values() {
    let text = "NAME  READY  STATUS   RESTARTS     AGE\nweb   1/1    Running  2 (4d ago)   9d\n";
    let objects = objects(text);
    let fields = &objects[0].fields;
    let shown = |key| &text[fields.get(key).unwrap().span()];
    assert_eq!(shown("restarts"), "2");
    assert_eq!(shown("last_restart_age_s"), "(4d ago)");
    assert_eq!(shown("age_s"), "9d");
    assert_eq!(
        &text[objects[0].span.clone()],
        "web   1/1    Running  2 (4d ago)   9d"
    );
}

#[test]
fn pods_without_header() {
    let text = "   etcd-rack-7   0/1   CreateContainerError   4 (2d8h ago)   9m50s   10.0.0.1   rack-7   <none>   <none>
   dns-x         1/1   Running                2              17d     10.0.0.2   rack-7   <none>   <none>";
    let rows = parse_both(text);
    assert_eq!(
        rows[0],
        "Pod etcd-rack-7 ready=0/1 status=CreateContainerError restarts=4 \
         last_restart_age_s=201600 age_s=590 ip=10.0.0.1 node=rack-7 nominated_node=<none> \
         readiness_gates=<none>"
    );
    assert!(is_row_without_header("kube-system dns-x 1/1 Running 0 5d"));
    for other in [
        "a 1/1 running 0 5d",
        "done 3/4 Tests 2 times",
        "web 1/1 Running 0",
        "",
    ] {
        assert!(!is_row_without_header(other), "{other}");
    }
}

#[test]
fn claims_with_empty_cells() {
    let rows = parse_both("\
NAME     STATUS    VOLUME                                     CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE
data-0   Pending                                                                        fast           <unset>                 5m
data-1   Bound     pvc-2b7e1516-28ae-4d2a-abf7-158809cf4f3c   10Gi       RWO            fast           <unset>                 9d");
    assert_eq!(
        rows,
        [
            "PersistentVolumeClaim data-0 status=Pending storage_class=fast \
             volume_attributes_class=<unset> age_s=300",
            "PersistentVolumeClaim data-1 status=Bound volume=pvc-2b7e1516-28ae-4d2a-abf7-158809cf4f3c \
             capacity=10Gi access_modes=RWO storage_class=fast volume_attributes_class=<unset> \
             age_s=777600",
        ]
    );
}

#[test]
fn volumes_and_quotas() {
    let rows = parse_both(
        "\
NAME   CAPACITY   ACCESS MODES   RECLAIM POLICY   STATUS      CLAIM        STORAGECLASS   VOLUMEATTRIBUTESCLASS   REASON   AGE
pv-1   5Gi        RWO,ROX        Retain           Available                slow           <unset>                          9d
pv-2   5Gi        RWO            Retain           Bound       pay/data-0                  <unset>                          9d

NAME    AGE   REQUEST                                       LIMIT
small   5d    requests.cpu: 7/8, requests.memory: 1Gi/2Gi   limits.cpu: 1/4",
    );
    assert_eq!(
        rows,
        [
            "PersistentVolume pv-1 capacity=5Gi access_modes=RWO,ROX reclaim_policy=Retain \
             status=Available storage_class=slow volume_attributes_class=<unset> age_s=777600",
            "PersistentVolume pv-2 capacity=5Gi access_modes=RWO reclaim_policy=Retain \
             status=Bound claim=pay/data-0 volume_attributes_class=<unset> age_s=777600",
            "ResourceQuota small age_s=432000 request=requests.cpu: 7/8, requests.memory: 1Gi/2Gi \
             limit=limits.cpu: 1/4",
        ]
    );
}

#[test]
fn storage_classes() {
    let rows = parse_both("\
NAME                 PROVISIONER             RECLAIMPOLICY   VOLUMEBINDINGMODE      ALLOWVOLUMEEXPANSION   AGE
standard (default)   disk.example.com        Delete          WaitForFirstConsumer   false                  40d
slow                 tape.example.com        Retain          Immediate              true                   40d");
    assert_eq!(
        rows,
        [
            "StorageClass standard is_default_class=true provisioner=disk.example.com \
             reclaim_policy=Delete volume_binding_mode=WaitForFirstConsumer \
             allow_volume_expansion=false age_s=3456000",
            "StorageClass slow is_default_class=false provisioner=tape.example.com \
             reclaim_policy=Retain volume_binding_mode=Immediate allow_volume_expansion=true \
             age_s=3456000",
        ]
    );
}

#[test]
fn services_and_their_endpoints() {
    let rows = parse_both(
        "\
NAME   TYPE           CLUSTER-IP   EXTERNAL-IP   PORT(S)        AGE   SELECTOR
edge   LoadBalancer   10.96.4.2    <pending>     80:30080/TCP   5h    app=edge

NAME   ENDPOINTS   AGE
edge   <none>      5h",
    );
    assert_eq!(
        rows,
        [
            "Service edge type=LoadBalancer cluster_ip=10.96.4.2 external_ip=<pending> \
             ports=80:30080/TCP age_s=18000 selector=app=edge",
            "Endpoints edge endpoints=<none> age_s=18000",
        ]
    );
}

#[test]
fn workloads_of_get_all() {
    let rows = parse_both(
        "\
NAME        READY   STATUS    RESTARTS   AGE
pod/web-0   1/1     Running   0          5d

NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/web   1/3     3            1           5d

NAME                       DESIRED   CURRENT   READY   AGE
replicaset.apps/web-5d9f   3         3         1       5d

NAME                  READY   AGE
statefulset.apps/db   0/2     5d",
    );
    assert_eq!(
        rows,
        [
            "Pod web-0 ready=1/1 status=Running restarts=0 age_s=432000",
            "Deployment web ready=1/3 up_to_date=3 available=1 age_s=432000",
            "ReplicaSet web-5d9f desired=3 current=3 ready=1 age_s=432000",
            "StatefulSet db ready=0/2 age_s=432000",
        ]
    );
}

#[test]
fn old_tables_of_nodes() {
    let rows = parse_both(
        "\
NAME     STATUS                     AGE
rack-7   Ready,SchedulingDisabled   9d
rack-8   NotReady                   9d",
    );
    assert_eq!(
        rows,
        [
            "Node rack-7 status=Ready,SchedulingDisabled age_s=777600",
            "Node rack-8 status=NotReady age_s=777600",
        ]
    );
    let rows =
        parse_both("NAME     STATUS    AGE       VERSION\nrack-7   Ready     9d        v1.6.2");
    assert_eq!(
        rows,
        ["Node rack-7 status=Ready age_s=777600 version=v1.6.2"]
    );
    let rows = parse_both("NAME   STATUS   AGE\nmill   Active   9d");
    assert_eq!(rows, ["Namespace mill status=Active age_s=777600"]);
}

#[test]
fn cells_of_several_words() {
    let rows = parse_both("\
NAME     STATUS     ROLES           AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION   CONTAINER-RUNTIME
rack-7   NotReady   control-plane   9d    v1.34.1   10.0.0.7      <none>        Ubuntu 24.04.1 LTS   6.8.0-45         containerd://2.1.4");
    assert_eq!(
        rows,
        [
            "Node rack-7 status=NotReady roles=control-plane age_s=777600 version=v1.34.1 \
          internal_ip=10.0.0.7 external_ip=<none> os_image=Ubuntu 24.04.1 LTS kernel_version=6.8.0-45 \
          container_runtime=containerd://2.1.4"
        ]
    );
    let rows = parse_both(
        "\
NAME      SCHEDULE      TIMEZONE   SUSPEND   ACTIVE   LAST SCHEDULE   AGE
nightly   */5 2 * * *   <none>     False     0        7h              9d",
    );
    assert_eq!(
        rows,
        [
            "CronJob nightly schedule=*/5 2 * * * timezone=<none> suspend=False active=0 \
          last_schedule_age_s=25200 age_s=777600"
        ]
    );
}

#[test]
fn custom_resources_and_wider_rows() {
    let objects = objects(
        "\
NAME     PHASE     OWNER TEAM   AGE
orders   Failing   shop         5d
a-much-longer-name   Ready   billing   2d
",
    );
    assert_eq!(
        render(&objects),
        [
            "orders phase=Failing owner_team=shop age_s=432000",
            "a-much-longer-name phase=Ready owner_team=billing age_s=172800",
        ]
    );
}

#[test]
fn other_text_is_not_a_table() {
    for prose in [
        "NAME AND SHAME",
        "NAME THE NODE",
        "NAME",
        "WARNING    DO NOT USE",
        "Name    Ready",
        "LAST SEEN   TYPE   REASON   OBJECT   MESSAGE",
        "TYPE THE NAME",
    ] {
        assert!(!is_header(prose), "{prose}");
    }
    let text = "\
NAME    READY   STATUS    RESTARTS   AGE
web-0   1/1     Running   0          5d
All of them run now.
    the next step is 5m away";
    assert_eq!(read(text).not_understood, [3, 4]);
}

fn table_like() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "NAME",
        "NAME   READY   STATUS   RESTARTS   AGE",
        "AGE",
        "ACCESS MODES",
        "web-0",
        "1/1",
        "Running",
        "2",
        "(3d ago)",
        "5m",
        "<none>",
        "\n",
        "\n",
        "  ",
        "\t",
        "ü",
        "(",
        "standard (default)",
        "pod/",
        "/",
        "NAME SCHEDULE MESSAGE AGE\n",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text(text in prop_oneof![table_like(), "(?s).{0,200}"]) {
        for object in read(&text).objects {
            prop_assert!(text.get(object.span.clone()).is_some());
            prop_assert!(text.get(object.fields.span()).is_some());
        }
        let first = text.lines().next().unwrap_or("");
        for line in text.lines() {
            is_row(first, line);
            is_row_without_header(line);
        }
    }
}

#[test]
fn tables_that_lost_their_names() {
    for (text, wanted) in [
        (
            "READY   STATUS             RESTARTS      AGE\n0/1     CrashLoopBackOff   7 (2m ago)   25m\n1/1     Running            0             5d",
            &[
                "Pod ready=0/1 status=CrashLoopBackOff restarts=7 last_restart_age_s=120 age_s=1500",
                "Pod ready=1/1 status=Running restarts=0 age_s=432000",
            ][..],
        ),
        (
            "STATUS    RESTARTS   AGE\nPending   0          5m",
            &["Pod status=Pending restarts=0 age_s=300"],
        ),
        (
            "READY   STATUS    RESTARTS\n0/1     Pending   0",
            &["Pod ready=0/1 status=Pending restarts=0"],
        ),
    ] {
        assert_eq!(parse_both(text), wanted);
    }
    for header in [
        "STATUS   AGE",
        "READY   AGE",
        "STATUS   AGE   VERSION",
        "READY   STATUS",
        "READY   STATUS   MESSAGE",
        "STATUS PACKAGE   CHANNEL   DETAIL",
        "READY TO GO",
        "STATUS: ALL IS WELL",
        "STATUS RESTARTS",
    ] {
        assert!(!is_header(header), "{header}");
    }
}

#[test]
fn a_prompt_ends_a_table_whatever_its_width() {
    let text = "NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE   SELECTOR\noven   ClusterIP   10.0.0.7     <none>        80/TCP    6d    app=oven,release=blue";
    let table: Vec<_> = lines(text).collect();
    assert!(!continues(&table, "$ kubectl get pods --show-labels"));
}
