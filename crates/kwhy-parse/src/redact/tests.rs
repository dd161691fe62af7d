use proptest::prelude::*;

use super::*;

const POD: &str = "\
Containers:
  arm:
    Image:  registry.example/token:1.2
    Environment:
      DB_PASSWORD:    SECRET
      DB_USER:        crane
      OTHER_PASSWORD:  <set to the key 'password' in secret 'db'>  Optional: false
";

/// Texts in which `SECRET` is a secret and nothing else is.
const PLACES: &[&str] = &[
    "- name:\nrequirepass SECRET\n",
    "login of tide failed, password: SECRET: refused by the dock",
    // environment variables
    POD,
    "DB_PASSWORD=SECRET\n",
    "  - name: DB_PASSWORD\n    value: SECRET\n  - name: MODE\n    value: fast\n",
    "- name: API_KEY\n  value: \"SECRET\"\n",
    r#"{"env":[{"name":"API_KEY","value":"SECRET"},{"name":"A","value":"b"}]}"#,
    "{\n  \"name\": \"GITHUB_TOKEN\",\n  \"value\": \"SECRET\"\n}",
    r#"x: "{\"env\":[{\"name\":\"API_KEY\",\"value\":\"SECRET\"},{\"name\":\"A\",\"value\":\"b\"}]}""#,
    "declare -x PGPASSWORD=\"SECRET\"\n",
    "name:\npassword: SECRET\n",
    "Name:         \nDB_PASSWORD=SECRET\n",
    // data of a ConfigMap
    "kind: ConfigMap\ndata:\n  password: SECRET\n  mode: fast\n",
    "data:\n  spring.datasource.password: 'SECRET'\n",
    "data:\n  app.properties: |\n    db.password = SECRET\n    db.user = crane\n",
    "data:\n  privateKey: |-\n    SECRET\n    SECRET\n  other: x\n",
    // logs
    "I0304 05:06:07.123456       1 sync.go:88] \"Connect\" user=\"crane\" password=\"SECRET\" retry=3\n",
    "time=\"2031-03-04T05:06:07Z\" level=info msg=\"connect\" token=SECRET user=crane\n",
    r#"{"level":"info","msg":"connect","api_key":"SECRET","user":"crane"}"#,
    r#"{"level":"info","msg":"got {\"clientSecret\":\"SECRET\",\"x\":1}","user":"crane"}"#,
    "args: map[password:SECRET user:crane]\n",
    "exec: kubectl --token=SECRET --token-file=/etc/x get pods\n",
    "exec: mysql --password SECRET --user crane\n",
    r#"args: ["--password", "SECRET", "--user", "crane"]"#,
    "args:\n- --api-key\n- SECRET\n- --user\n",
    "Server=dock;User Id=crane;Password=SECRET;Timeout=3\n",
    "{'user': 'crane', 'password': 'SECRET'}\n",
    "{ \"user\" : \"crane\", \"password\" : \"SECRET\" }\n",
    "\"password\": SECRET\n\"user\": crane\n",
    "{user: \"crane\", password: \"SECRET\"}\n",
    "GET /quay?access_token=SECRET&page=2 HTTP/1.1\n",
    // addresses
    "dial postgres://crane:SECRET@db.dock.svc:5432/app?x=1: timeout\n",
    "redis://:SECRET@cache:6379/0\n",
    "crane:SECRET@tcp(db.dock:3306)/app\n",
    // headers
    "> Authorization: Bearer SECRET\n",
    "headers: map[Authorization:[Bearer SECRET] Accept:[text/html]]\n",
    r#"{"Authorization":"Basic SECRET"}"#,
    "curl -H 'authorization: token SECRET' https://quay.example\n",
    // keys
    "-----BEGIN RSA PRIVATE KEY-----\nSECRET\nSECRET\n-----END RSA PRIVATE KEY-----\nx\n",
    "key: \"-----BEGIN PRIVATE KEY-----\\nSECRET\\n-----END PRIVATE KEY-----\"\n",
    "-----BEGIN EC PRIVATE KEY-----\nSECRET\nSECRET\nand so on\n",
    "SECRET\nSECRET=\n-----END PRIVATE KEY-----\n",
    // Secrets
    "apiVersion: v1\ndata:\n  a.txt: SECRET\n  b: SECRET\nkind: Secret\nmetadata:\n  name: tide\ntype: Opaque\n",
    "items:\n- apiVersion: v1\n  data:\n    a: SECRET\n  kind: Secret\n  metadata:\n    name: tide\n- kind: Pod\n  data:\n    a: b\n",
    "kind: Secret\nstringData:\n  config: |\n    user: SECRET\n    SECRET\nmetadata:\n  name: tide\n",
    "kind: Secret\ndata: {a: SECRET}\nmetadata: {name: tide}\n",
    r#"{"apiVersion":"v1","data":{"a":"SECRET","b":"SECRET"},"kind":"Secret","metadata":{"name":"tide"}}"#,
    r#"{"kind":"SecretList","items":[{"metadata":{"name":"tide"},"data":{"a":"SECRET"},"type":"Opaque"}]}"#,
    r#",{"metadata":{"name":"tide"},"data":{"tls.key":"SECRET"},"type":"kubernetes.io/tls"}"#,
    "metadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"data\":{\"a\":\"SECRET\"},\"kind\":\"Secret\",\"metadata\":{\"name\":\"tide\"}}\n",
    r#"{"annotations":{"last":"{\"data\":{\"a\":\"SECRET\"},\"kind\":\"Secret\"}\n"},"name":"tide"}"#,
    r#"{"data":{".dockerconfigjson":"SECRET"},"kind":"Secret"}"#,
    "  .dockerconfigjson: SECRET\n",
    // in the middle of a line
    "E0304 05:06:07.123456       1 sync.go:88] Failed: password: SECRET, user crane\n",
    r#"{"msg":"login with token: SECRET","user":"crane"}"#,
    // cookies
    "< Set-Cookie: SECRET\n",
    "curl -H 'Cookie: session=SECRET; theme=SECRET' https://quay.example\n",
    "headers: map[Cookie:[sid=SECRET] Accept:[text/html]]\n",
    // a kubeconfig, a .netrc, curl
    "    client-key-data: SECRET\n",
    "machine quay.example login crane password SECRET\n",
    "+ curl -sf -u crane:SECRET https://quay.example/x\n",
    "curl --user 'crane:SECRET' https://quay.example/x\n",
    // one-letter options
    "+ sshpass -p SECRET ssh crane@dock\n",
    r#"command: ["mysql", "-ucrane", "-pSECRET", "app"]"#,
    "redis-cli -h cache -a SECRET ping | cat -a x\n",
    "$ docker login -u crane -p SECRET quay.example\n",
    "openssl rsa -passin pass:SECRET -in x\n",
    "openssl enc -aes-256-cbc -k SECRET -in x\n",
    "$ podman login -p SECRET -u crane quay.example; ls -p dock\n",
    r#"["/usr/bin/mysqladmin","ping","-uroot","-pSECRET"]"#,
    "kubectl exec -it dock-0 -- mongosh -u crane -p SECRET quay\n",
    "`mariadb-dump -pSECRET app`\n",
    "ldapsearch -x -D cn=crane -w SECRET dc=dock\n",
    "SSHPASS=SECRET\n",
    "command: [app, --token, SECRET]\n",
    "curl --proxy-user crane:SECRET https://quay.example\n",
    // other marks between a name and its value
    "config: password := \"SECRET\"\n",
    "{:password=>\"SECRET\", :user=>\"crane\"}\n",
    "'password' => 'SECRET',\n",
    "got &{User:crane Password:SECRET Retry:3}\n",
    "env: [{name: DB_PASSWORD, value: SECRET}, {name: MODE, value: fast}]\n",
    "<user>crane</user><password>SECRET</password>\n",
    "<add key=\"Password\" value=\"SECRET\"/>\n",
    "the body was user%3Dcrane%26password%3DSECRET%26x%3D1\n",
    "the body was {&quot;password&quot;:&quot;SECRET&quot;,&quot;x&quot;:1}\n",
    "\u{1b}[31mpassword\u{1b}[0m=SECRET user=crane\n",
    // ambiguous names, names of two words
    "hashed with salt=SECRET and so on\n",
    r#"{"salt":"SECRET","user":"crane"}"#,
    "opened with pin=SECRET by crane\n",
    "SNMP community=SECRET of dock\n",
    "the API key: SECRET is refused on dock\n",
    r#"got {"api key": "SECRET", "user": "crane"}"#,
    // sentences
    "the password is SECRET on dock\n",
    "password of quay: the password was changed to SECRET\n",
    "the token is SECRET on dock\n",
    "the passphrase is SECRET\n",
    "Password……: SECRET\n",
    "dock: password ……… = SECRET\n",
    r#"{"msg":"dock: password\u2026\u2026: SECRET"}"#,
    r"got PASSWORD\tSECRET of dock",
    r"got PASSWORD\\tSECRET of dock",
    // other languages
    "dock: Пароль: SECRET\n",
    "Пароль: SECRET\n",
    "dock contraseña=SECRET user=crane\n",
    r#"{"msg":"dock contrase\u00f1a=SECRET and so on"}"#,
    r#"{"msg":"{\"x\":\"\\u041f\\u0430\\u0440\\u043e\\u043b\\u044c: SECRET\"}"}"#,
    "le mot de passe: SECRET sur dock\n",
    "DB_SENHA=SECRET\n",
    "Kennwort: SECRET\n",
    "Passwort=SECRET\n",
    "dock 密码：SECRET\n",
    "登录密码=SECRET\n",
    "パスワード: SECRET\n",
    r#"{"비밀번호":"SECRET","user":"crane"}"#,
    // an authorization code in a request body
    "POST code=SECRET&state=x&redirect_uri=dock\n",
    // a PuTTY key
    "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\nSECRET\nSECRET=\nPrivate-MAC: other\n",
    r#"{"key":"x","file":"Private-Lines: 1\nSECRET\nPrivate-MAC: other"}"#,
    r#"{"file":"Private-Lines: 2\\r\\nSECRET\\r\\nSECRET\\r\\nPrivate-MAC: other"}"#,
    "Private-Lines: SECRET\ncrane\n",
    // a truncated value
    "...ssword\":\"x\", password\":\"SECRET\",\"user\":\"crane\"}\n",
    "user crane identified by 'SECRET' on dock\n",
    "ALTER USER crane WITH PASSWORD 'SECRET'\n",
    "CREATE USER crane IDENTIFIED BY 'SECRET'\n",
    "grant all on dock.* to crane identified by 'SECRET'\n",
    "GET /back?code=SECRET&state=1 HTTP/1.1\n",
    "GET /back?user=crane&pass=SECRET HTTP/1.1\n",
    "login crane/SECRET@//db:1521/app failed\n",
    "invalid token \"SECRET\" of crane\n",
    "redis: AUTH SECRET refused\n",
    "config Token(SECRET), Retry(3)\n",
    "password = \"\"\"SECRET\"\"\"\n",
    r#"{"msg":"\\u001b[31mpassword\\u001b[0m=SECRET user=crane"}"#,
    r#"{"auths":{"quay.example":{"username":"crane","password":"SECRET"}}}"#,
];

/// Texts that look like secrets but contain none.
const OTHERS: &[&str] = &[
    // the first words of an error are on the line before
    "token: unexpected status from GET request to https://dock.example/token?service=tide: 401 Unauthorized",
    "MountVolume.SetUp failed for volume \"vault-token\" : the API server does not answer\n",
    "MountVolume.SetUp failed for volume \"vault-token\" : failed to fetch token: denied\n",
    "sync.go:88] invalid token: expired 3m ago; cannot read password: EOF\n",
    "failed to fetch token: Post \"https://dock.example/x1\": timeout; token: https://dock.example/x1 no\n",
    "couldn't get secret: web-tls-2x9k1 of dock\n",
    "denied: Your authorization token has expired. Reauthenticate and try again.\n",
    "MountVolume.SetUp failed for volume \"tls\" : secret \"web-tls\" not found\n",
    "    secretName: web-tls\n",
    "    SecretName:  web-tls\n    Optional:    false\n",
    "      valueFrom:\n        secretKeyRef:\n          key: password\n          name: db\n",
    "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      key: password\n      name: db\n",
    "--token-file=/var/run/secrets/token --client-key=/etc/kubernetes/pki/x.key --private-key-file=/etc/x\n",
    "        serviceAccountToken:\n          expirationSeconds: 3607\n          path: token\n",
    "    TokenExpirationSeconds:  3607\n",
    "{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}}\n",
    "automountServiceAccountToken: false\n",
    "  imagePullSecrets:\n  - name: regcred\n",
    "    Mounts:\n      /var/run/secrets/kubernetes.io/serviceaccount from token-x (ro)\n",
    "    Image:  registry.example/auth/token:1.2\n    image: secret:3\n",
    "invalid character '}' looking for token \"expired\"; unexpected token \"}\"\n",
    "GET /quay?code=500&key=7 HTTP/1.1\n",
    // other meanings of the names
    "gpio: pin=17 of chip 3, pin: 4, pin=GPIO17, \"pin\": 12; pinned, mapping: x, spin=1\n",
    "SaltStack salt-minion 3006.9: salt: minion-0 has started, salt=minion-0\n",
    "exit code=1, code=403, code=InvalidArgument, code=E1234567 msg=x; grpc code=DeadlineExceeded\n",
    "error_code=Ab12Cd34Ef&page=2, exit-code=Ab12Cd34Ef&x=1, code=1&state=x, code=invalid_scope&state=x\n",
    "bgp community=65000:100 is not known, community=public edition\n",
    "storage key: /registry/pods/dock/web-7d9f8b6c5-x2k4q, session key: none, api key: missing\n",
    "key-value store, key-1, cache key-9f86d081884c7d65, key-rotation-2031, sealed-secrets-key7x2k4\n",
    "pods. services. nodes.metrics.k8s.io items.Spec s.String() s.prototype.hasOwnProperty s.getPodsWith403OfNodes1(x) s.getClusterWith403IfNotExist\n",
    "EAAAA EAAccess EAAB: enterprise application access\n",
    // sentences about passwords
    "password expired; the password is required; password is incorrect; password was changed 5 days ago\n",
    "the password is base64 of it, password was set to expire, password will be hashed with SHA256, token is valid for 90s\n",
    "|access to /etc/passwd is configured|Pass|, import check_password as check_password2\n",
    "invalid password for user crane; wrong password, try again; Changing password… done\n",
    "desenhar a resenha: ruim, o desenha=fino\n",
    "неверный пароль для crane, пароль неверен; mot de passe incorrect; contraseña incorrecta; 密码错误\n",
    r"cannot open C:\password\tools64\bin, C:\dock\token\t1\x",
    "Private-Lines are not read\n",
    "is not \"password\": it's the name, the 'token': and so on\n",
    "mkdir -p /var/lib/mysql -a; mysqld -port=3306; kubectl login -h\n",
    "23 passed, 1 failed, pass: 23, the pass through 10.0.0.1 ended\n",
    "token default-token-x7k2p of dock is not mounted\n",
    // one-letter options of other programs, ports
    "Error: password authentication failed for user \"crane\", token expired\n",
    "docker run -d --name mysql -p 3306:3306 -p3307:3307 mysql:8\n",
    "docker run --name mongo -p 127.0.0.1:27017:27017/tcp mongo:7 --port 27017\n",
    "Successfully started mysql_exporter -port 9104, mysql-0 -p9104, mongodb-1 -p dock\n",
    "user login failed on dock -p 2222; docker login quay.example; ssh -p 2222 dock\n",
    "OpenSSL/3.0.2 handshake failed: retry with curl -k https://quay.example\n",
    "openssl s_client -connect quay:443; curl -k https://quay.example\n",
    "ldap server does not answer: ping -w 5 dock\n",
    "redis-cli -h cache ping && cat -a x\n",
    // help texts and sentences about options
    "      --token string   Bearer token for authentication to the API server\n",
    "kubeadm join dock:6443 --token <token> --discovery-token-ca-cert-hash sha256:<hash>\n",
    "WARNING! Using --password via the CLI is insecure. Use --password-stdin.\n",
    "flag --token has been deprecated; one of --token, --kubeconfig must be set; --password, if set\n",
    // stack traces
    "\tat com.dock.Session.refreshToken(TokenService.java:88)\n",
    "\tat com.dock.auth.TokenFilter.parseAccessToken(JwtParser.java:1207)\n",
    "k8s.io/apiserver/pkg.(*Authenticator).AuthenticateToken(0xc0001a2b30, {0x1e8f7a0, 0xc000})\n",
    "   at Dock.Tokens.ValidateToken(SecurityToken token, Parameters2 p)\n",
    // structs that contain others
    "Projected:&Source{Sources:[]Projection{Projection{Secret:nil,ConfigMap:nil,ServiceAccountToken:&Token{Path:token,},},}}\n",
    "got &{User:crane Secret:web-tls Token:&Token{Path:x1 Seconds:3607}}\n",
    // names, not values
    "container identified by \"4f1c9e7b2a\" is not found in the sandbox identified by 'Dock-1'\n",
    "secret for token \"default-token-x7k2p\" not found\n",
    "SyntaxError: Unexpected token 'aB3xY9' in JSON at position 0\n",
    "refresh token => expired, password => unchanged\n",
    "first-pass: 23 of 40, single-pass=3\n",
    "sshpass: command not found\n",
    "    certificateKey: tls.key\n    privateKey: server-1.pem\n",
    "GET /flags?key=feature-flags&code=image-pull HTTP/1.1\n",
    "cannot read /quay/dock@//crane, https://quay.example/dock@//crane\n",
    "npm_config_registry=https://registry.npmjs.example/ npm_package_scripts_prebuild_all=x\n",
    "pod pypi-cache-proxy-deployment-6d5f9c7b8-kq2xz\n",
    "ImageID: docker-pullable://docker-registry-proxy@sha256:0f8e7d6c1a2b4c3d9e8f\n",
    "Erlang/OTP 26 [erts-14.2] starts; MySQL is ready for connections, port: 3306\n",
    "FATAL: password authentication failed for user \"crane\"\n",
    "Access denied for user 'crane'@'10.0.0.1' (using password: YES)\n",
    "Failed to pull image \"quay.example/a\": unauthorized: authentication required\n",
    "couldn't find key password in Secret dock/db\n",
    "I0304 05:06:07.123456       1 sync.go:88] \"Synced\" secret=\"kube-system/web-tls\"\n",
    "level=error msg=\"no match\" credential=aws-creds auth=none\n",
    "nginx.ingress.kubernetes.io/auth-secret: basic-auth\n",
    "https://dock.example:8443/path@2x?key=1 http://user@host/\n",
    "Unable to authenticate the request: invalid bearer token, token has expired\n",
    "WWW-Authenticate: Bearer realm=\"https://auth.example/token\",service=\"quay\"\n",
    "Type:  Opaque\n\nData\n====\npassword:  8 bytes\ntls.key:   1704 bytes\n",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "PWD=/app\nkey=abc keys=3 cache_key=web\n",
    "kind: ConfigMap\ndata:\n  mode: fast\n",
    r#"{"kind":"ConfigMap","data":{"mode":"fast"},"type":"Opaque"}"#,
    "if token == \"x\" { token := y }\n",
    "session affinity is by cookie route; cookie route is not set\n",
    "run --user 1000:1000 -u 0:0 image\n",
    "ownerReferences:\n- kind: Secret\n  name: tide\n",
    "Tokens:              default-token-x\nMountable secrets:   default-token-x\n",
];

#[test]
fn tokens_that_say_whose_they_are() {
    let long = "Qx7hUnter2Qx7hUnter2Qx7hUnter2Qx7hUnter2";
    for (prefix, least) in shapes::PREFIXES {
        for (before, after) in [("", ""), ("key ", " x"), ("\"", "\"}"), ("https://", "\n")] {
            let text = format!("{before}{prefix}{long}{after}");
            assert_eq!(masked(&text), format!("{before}{prefix}***{after}"));
            let short = format!("{before}{prefix}{}{after}", &long[..least - 1]);
            assert_eq!(masked(&short), short);
        }
    }
    // within a word
    let text = format!("graph_{long} Asia/Tokyo MAKIA{long} pypi-server npm_config_cache=/x");
    assert_eq!(masked(&text), text);
}

#[test]
fn what_looks_like_a_secret_stays() {
    let wrong: Vec<_> = OTHERS
        .iter()
        .map(|text| (masked(text), *text))
        .filter(|(masked, text)| masked != text)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn secrets_are_masked_and_nothing_else() {
    for text in PLACES {
        let secret = "dGlkZQ8Zz1x5";
        let output = masked(&text.replace("SECRET", secret)).into_owned();
        assert!(!output.contains(secret), "{text}\n{output}");
        assert!(output.contains(MARK), "{output}");
        // text that is not a secret is unchanged
        for word in [
            "crane",
            "dock",
            "fast",
            "tide",
            "quay",
            "other",
            "Optional: false",
            "and so on",
        ] {
            let count = |text: &str| text.matches(word).count();
            let applied = text.contains("\"last\"");
            assert!(applied || count(&output) == count(text), "{word}: {output}");
        }
    }
}

#[test]
fn a_password_of_words_is_masked() {
    let text = "password: correct horse battery staple\n";
    assert_eq!(masked(text), "password: ***\n");
}

#[test]
fn a_mark_shows_no_length() {
    let short = masked("password=aB3\n").into_owned();
    assert_eq!(short, masked("password=aB3aB3aB3aB3\n"));
    assert_eq!(short, "password=***\n");
}

#[test]
fn ranges_are_found_by_what_they_overlap() {
    let text = "password=aB3 x token=dE4";
    let secrets = Secrets::of(text);
    assert_eq!(secrets.within(&(0..9)), &[] as &[Span]);
    assert_eq!(secrets.within(&(0..10)).first(), Some(&(9..12)));
    assert_eq!(secrets.within(&(11..24)), &[9..12, 21..24]);
}

/// The search around a trigger is bounded; otherwise a long line would take quadratic time.
#[test]
fn a_long_line_of_triggers_is_read_in_time() {
    for unit in [
        "mysql ",
        "mongo -x ",
        "docker login ",
        "password=***",
        "{password:***",
        "<password>",
        "<token value=***",
        "machine x login password ",
        "npm_",
        "password%3D***",
        "token: ",
        "map[token:*** ",
    ] {
        let text = unit.repeat((1 << 18) / unit.len());
        let start = std::time::Instant::now();
        let _ = Secrets::of(&text);
        assert!(
            start.elapsed().as_secs() < 10,
            "{unit}: {:?}",
            start.elapsed()
        );
    }
}

proptest! {
    /// No secret remains, whatever it is and whatever surrounds it. A letter before digits alone may be a code.
    #[test]
    fn no_secret_is_left(
        secret in "[A-Z][a-z][a-z0-9]{5,29}[0-9]",
        place in 0..PLACES.len(),
        before in prop::sample::select(vec!["", "x\n", "it's \"so\n", "5\" {[\n", "\n\n"]),
    ) {
        let text = format!("{before}{}", PLACES[place].replace("SECRET", &secret));
        let output = masked(&text);
        prop_assert!(!output.contains(&secret), "{}", output);
    }

    #[test]
    fn any_text_is_read(text in "(?s)[a-z\"'\\\\:=@/{}\\[\\]\\n |.-]{0,60}(password|://|PRIVATE KEY-----|kind: Secret\\ndata:|\"data\")[a-z\"'\\\\:=@/{}\\[\\]\\n é.-]{0,60}") {
        let secrets = Secrets::of(&text);
        for span in secrets.within(&(0..text.len())) {
            prop_assert!(text.get(span.clone()).is_some());
        }
    }
}

/// Tokens whose prefix is short or a word.
#[test]
fn tokens_of_a_form() {
    let mixed = "Qx7hUnter2Qx7hUnter2Qx7h";
    assert_eq!(mixed.len(), 24);
    for start in ["s.", "key-", "EAA"] {
        for (before, after) in [("", ""), ("token ", " x"), ("\"", "\"}"), ("=", ".\n")] {
            let text = format!("{before}{start}{mixed}{after}");
            assert_eq!(masked(&text), format!("{before}{start}***{after}"));
        }
        for text in [
            format!("{start}{}", &mixed[..16]),
            format!("{start}{}", mixed.to_lowercase()),
            format!("{start}{}", "abcdefghijklmnopqrstuvwxyzABCDEF"),
            format!("dock{start}{mixed}"),
        ] {
            assert_eq!(masked(&text), text);
        }
    }
    assert_eq!(masked("key-3ax6xnjp29jd6fds4gc373sgvjxteol0"), "key-***");
}

/// Personal identification numbers have at least four digits.
#[test]
fn personal_numbers() {
    assert_eq!(
        masked("crane opened it, pin=4711 ok"),
        "crane opened it, pin=*** ok"
    );
    assert_eq!(masked(r#"{"pin": 4711}"#), r#"{"pin": ***}"#);
    assert_eq!(masked("pin: 4711 of crane"), "pin: *** of crane");
    assert_eq!(masked("pin=47 ok"), "pin=47 ok");
}

#[test]
fn the_name_of_a_file_is_shown_without_its_secret() {
    let name = "dock/app-password=Tide4Quay.log";
    assert_eq!(SecretPolicy::Mask.shown(name), "dock/app-password=***");
    let name = "dock/token=Tide4Quay/app.log";
    assert_eq!(SecretPolicy::Mask.shown(name), "dock/token=***/app.log");
    assert_eq!(SecretPolicy::Show.shown(name), name);
}
