package deploy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/goccy/go-yaml"
)

// node is a part of a YAML file, walked by names and numbers.
type node struct {
	t     *testing.T
	path  string
	value any
}

// at descends; a missing part fails the test.
func (n node) at(steps ...any) node {
	n.t.Helper()
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			m, _ := n.value.(map[string]any)
			value, is := m[step]
			if !is {
				n.t.Fatalf("%s has no %s", n.path, step)
			}
			n = node{n.t, n.path + "." + step, value}
		case int:
			list, _ := n.value.([]any)
			if step >= len(list) {
				n.t.Fatalf("%s has no item %d", n.path, step)
			}
			n = node{n.t, n.path, list[step]}
		}
	}
	return n
}

// want compares the part at the end of the steps.
func (n node) want(want any, steps ...any) {
	n.t.Helper()
	got := n.at(steps...)
	a, _ := yaml.Marshal(got.value)
	b, _ := yaml.Marshal(want)
	if !bytes.Equal(a, b) {
		n.t.Errorf("%s = %s; want %s", got.path, a, b)
	}
}

func (n node) text(steps ...any) string {
	n.t.Helper()
	s, _ := n.at(steps...).value.(string)
	return s
}

func read(t *testing.T, name string) string {
	t.Helper()
	return string(fortest.Must(os.ReadFile(name))(t))
}

func documents(t *testing.T, name string) (all []node) {
	t.Helper()
	for decoder := yaml.NewDecoder(strings.NewReader(read(t, name)), yaml.Strict()); ; {
		var value any
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, node{t, name, value})
	}
}

// objectsByKind parses deploy/kubernetes.
func objectsByKind(t *testing.T) map[string]node {
	t.Helper()
	applied, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil || len(applied) < 3 {
		t.Fatalf("%v, %v", applied, err)
	}
	const example = "kubernetes/secret.yaml.example" // by its name no kubectl apply -f takes it
	objects := map[string]node{}
	for _, name := range append(applied, example) {
		for _, d := range documents(t, name) {
			d.text("apiVersion")
			d.want("coinslot", "metadata", "name")
			if d.text("kind") == "Secret" && name != example {
				t.Errorf("kubectl apply -f of the folder overwrites the secrets: %s", name)
			}
			objects[d.text("kind")] = d
		}
	}
	return objects
}

var variable = regexp.MustCompile(`COINSLOT_[A-Z_]*[A-Z]`)

// Every setting in the files exists.
func TestSettingsExist(t *testing.T) {
	known := map[string]bool{"COINSLOT_VERSION": true} // compose's own: the tag of the image
	for _, s := range config.Settings() {
		known[s.Name] = true
		if s.File {
			known[s.Name+"_FILE"] = true
		}
	}
	files := fortest.Must(filepath.Glob("*"))(t)
	more := fortest.Must(filepath.Glob("kubernetes/*"))(t)
	seen := 0
	for _, name := range append(append(files, more...), "../Dockerfile", "../docs/deploy.md") {
		if strings.HasSuffix(name, ".go") || name == "kubernetes" {
			continue
		}
		for _, found := range variable.FindAllString(read(t, name), -1) {
			if seen++; !known[found] {
				t.Errorf("%s names %s, which is no setting", name, found)
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d settings seen", seen)
	}
}

// secrets creates the files of the guide and returns their paths by name.
func secrets(t *testing.T) map[string]string {
	t.Helper()
	paths := map[string]string{}
	for name, text := range map[string]string{
		"gateway-key":    "gateway-key",
		"secret-key":     strings.Repeat("0123456789abcdef", 4),
		"database":       "postgres://coinslot:pw@postgres/coinslot",
		"webhook-secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==",
	} {
		paths[name] = filepath.Join(t.TempDir(), name)
		fortest.OK(t, os.WriteFile(paths[name], []byte(text+"\n"), 0o400))
	}
	return paths
}

// loadConfig parses an environment as the process does, with test secrets.
func loadConfig(t *testing.T, env []string) config.Config {
	t.Helper()
	paths := secrets(t)
	for i, entry := range env {
		if name, value, _ := strings.Cut(entry, "="); strings.HasSuffix(name, "_FILE") {
			if paths[filepath.Base(value)] == "" {
				t.Errorf("%s is a secret that nobody makes", entry)
			}
			env[i] = name + "=" + paths[filepath.Base(value)]
		}
	}
	c, err := config.Load(env, nil)
	if err != nil {
		t.Errorf("the settings do not start: %v", err)
	}
	return c
}

// imageEnv returns the image's environment.
func imageEnv(t *testing.T) map[string]string {
	t.Helper()
	env := map[string]string{}
	for _, line := range strings.Split(read(t, "../Dockerfile"), "\n") {
		if rest, is := strings.CutPrefix(line, "ENV "); is {
			for _, pair := range strings.Fields(rest) {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = value
			}
		}
	}
	return env
}

func envList(env map[string]string) (all []string) {
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}

func TestDockerfile(t *testing.T) {
	text := read(t, "../Dockerfile")
	for _, want := range []string{
		"\nFROM scratch\n", "\nUSER 65532:65532\n", "\nSTOPSIGNAL SIGTERM\n", "\nVOLUME /data\n",
		"\nEXPOSE 8080\n", `CMD ["/coinslot", "health"]`, "ca-certificates.crt", "CGO_ENABLED=0",
		"-trimpath",
	} {
		fortest.Has(t, "the Dockerfile", text, want)
	}
	wrong := regexp.MustCompile(`(?m)^ARG .*\b(TARGET|BUILD)[A-Z]*=.*$`).FindString(text)
	if wrong != "" {
		t.Errorf("%q: a default of the builder's own names is believed more than --platform", wrong)
	}
	env := imageEnv(t)
	if env["COINSLOT_LISTEN"] != "0.0.0.0:8080" ||
		env["COINSLOT_DATABASE"] != "/data/coinslot.db" || env["COINSLOT_OPS_LISTEN"] != "" {
		t.Errorf("the image's environment is %v", env)
	}
}

func TestCompose(t *testing.T) {
	all := documents(t, "compose.yaml")
	if len(all) != 1 {
		t.Fatalf("%d documents", len(all))
	}
	c := all[0]
	for _, name := range []string{"coinslot", "postgres"} {
		s := c.at("services", name)
		s.want(true, "read_only")
		s.want([]string{"ALL"}, "cap_drop")
		s.want([]string{"no-new-privileges:true"}, "security_opt")
		s.at("healthcheck", "test", 1)
		s.want("unless-stopped", "restart")
		for _, secret := range s.at("secrets").value.([]any) {
			c.want("./secrets/"+secret.(string), "secrets", secret, "file")
		}
	}
	s := c.at("services", "coinslot")
	s.want("service_healthy", "depends_on", "postgres", "condition")
	s.want([]string{"127.0.0.1:8080:8080"}, "ports")
	s.want([]string{"CMD", "/coinslot", "health"}, "healthcheck", "test")
	s.want("65532:65532", "user")
	c.want(true, "networks", "back", "internal")
	s.want("20s", "stop_grace_period") // requests 5, webhooks 10
	env := imageEnv(t)
	for name, value := range s.at("environment").value.(map[string]any) {
		env[name], _ = value.(string)
	}
	got := loadConfig(t, envList(env))
	if !strings.HasPrefix(got.Database, "postgres://") || got.Listen != "0.0.0.0:8080" ||
		got.OpsListen != "127.0.0.1:9090" {
		t.Errorf("compose runs with %s on %s and %s", got.Database, got.Listen, got.OpsListen)
	}
	if !strings.HasPrefix(c.text("networks", "front", "ipam", "config", 0, "gateway")+"/32",
		got.TrustedProxies[0].String()) {
		t.Errorf("the proxy's requests come from the network's gateway, not from %v",
			got.TrustedProxies)
	}
}

func TestKubernetes(t *testing.T) {
	all := objectsByKind(t)
	d := all["Deployment"].at("spec")
	labels := map[string]string{"app.kubernetes.io/name": "coinslot"}
	d.want(labels, "selector", "matchLabels")
	d.want(labels, "template", "metadata", "labels")
	d.want(map[string]int{"maxUnavailable": 0, "maxSurge": 1}, "strategy", "rollingUpdate")
	pod := d.at("template", "spec")
	pod.want(30, "terminationGracePeriodSeconds") // drain 8, requests 5, webhooks 10
	pod.want(false, "enableServiceLinks")
	pod.want(false, "automountServiceAccountToken")
	pod.want(true, "securityContext", "runAsNonRoot")
	pod.want("RuntimeDefault", "securityContext", "seccompProfile", "type")
	one := pod.at("containers", 0)
	one.want(
		map[string]any{
			"allowPrivilegeEscalation": false,
			"readOnlyRootFilesystem":   true,
			"capabilities":             map[string]any{"drop": []string{"ALL"}},
		},
		"securityContext",
	)
	one.at("resources", "limits", "memory")
	one.at("resources", "requests", "cpu")
	for probe, path := range map[string]string{
		"startupProbe":   "/healthz",
		"livenessProbe":  "/healthz",
		"readinessProbe": "/readyz",
	} {
		one.want(map[string]string{"path": path, "port": "ops"}, probe, "httpGet")
	}
	one.want(
		[]map[string]any{
			{"name": "http", "containerPort": 8080},
			{"name": "ops", "containerPort": 9090},
		},
		"ports",
	)
	all["Service"].want(labels, "spec", "selector")
	all["Service"].want([]map[string]any{{"name": "http", "port": 80, "targetPort": "http"}},
		"spec", "ports")
	all["PodDisruptionBudget"].want(labels, "spec", "selector", "matchLabels")
	all["NetworkPolicy"].want(labels, "spec", "podSelector", "matchLabels")
	all["NetworkPolicy"].want(8080, "spec", "ingress", 0, "ports", 0, "port")
	all["NetworkPolicy"].want(9090, "spec", "ingress", 1, "ports", 0, "port")
	all["NetworkPolicy"].want("ingress-nginx", "spec", "egress", 3, "to", 0, "namespaceSelector",
		"matchLabels", "kubernetes.io/metadata.name")
	all["Ingress"].want(
		map[string]any{"name": "coinslot", "port": map[string]string{"name": "http"}},
		"spec",
		"rules",
		0,
		"http",
		"paths",
		0,
		"backend",
		"service",
	)
	all["Ingress"].want("150", "metadata", "annotations",
		"nginx.ingress.kubernetes.io/proxy-read-timeout")
	all["Namespace"].want("restricted", "metadata", "labels", "pod-security.kubernetes.io/enforce")

	env := imageEnv(t)
	for name, value := range all["ConfigMap"].at("data").value.(map[string]any) {
		env[name], _ = value.(string)
	}
	for _, entry := range one.at("env").value.([]any) {
		pair := node{t, "env", entry}
		env[pair.text("name")] = pair.text("value")
		if path := pair.text("value"); strings.HasSuffix(pair.text("name"), "_FILE") {
			all["Secret"].at("stringData",
				strings.TrimPrefix(path, one.text("volumeMounts", 0, "mountPath")+"/"))
		}
	}
	got := loadConfig(t, envList(env))
	if got.OpsListen != ":9090" || got.Drain.Seconds() != 8 || got.Listen != ":8080" ||
		!strings.HasPrefix(got.Database, "postgres://") {
		t.Errorf("pods run with %s on %s and %s", got.Database, got.Listen, got.OpsListen)
	}
	var example []string
	for name, value := range all["Secret"].at("stringData").value.(map[string]any) {
		example = append(example,
			"COINSLOT_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+value.(string))
	}
	_, err := config.Load(append(example, "COINSLOT_GATEWAY_URL=https://gateway.example"), nil)
	if err == nil {
		t.Error("the example of a secret starts a server")
	}
}

func TestService(t *testing.T) {
	unit := Unit
	for _, want := range []string{
		"DynamicUser=yes", "StateDirectory=coinslot/%i", "ProtectSystem=strict",
		"NoNewPrivileges=yes", "LimitNOFILE=65536",
		"ExecStart=/usr/local/bin/coinslot serve -settings %d/settings",
		"LoadCredential=settings:/etc/coinslot/%i.env",
	} {
		if !slices.Contains(strings.Split(unit, "\n"), want) {
			t.Errorf("the unit lacks %s", want)
		}
	}
	analyze := need.Command(t, "systemd-analyze")
	copied := filepath.Join(t.TempDir(), "coinslot@shop.service")
	fortest.OK(
		t,
		os.WriteFile(copied,
			[]byte(strings.Replace(unit, "/usr/local/bin/coinslot", "/bin/true", 1)), 0o600),
	)
	out, err := exec.Command(analyze, "verify", copied).CombinedOutput()
	if err != nil || strings.Contains(string(out), "coinslot@shop.service") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// The console's password is in compose.yaml, commented out; the command of docs/deploy.md that
// uncomments it leaves what starts.
func TestConsolePassword(t *testing.T) {
	command := `sed -i '/admin-password/s/#//' compose.yaml`
	fortest.Has(t, "docs/deploy.md", read(t, "../docs/deploy.md"), command)
	copied := filepath.Join(t.TempDir(), "compose.yaml")
	fortest.OK(t, os.WriteFile(copied, []byte(read(t, "compose.yaml")), 0o600))
	command = command[:strings.LastIndex(command, " ")+1] + copied
	fortest.OK(t, exec.Command("sh", "-c", command).Run())

	changed := string(fortest.Must(os.ReadFile(copied))(t))
	lines := regexp.MustCompile(`(?m)^.*admin-password.*$`).FindAllString(changed, -1)
	fortest.Equal(t, len(lines), 3, "lines of compose.yaml")
	fortest.Lacks(t, "compose.yaml", strings.Join(lines, "\n"), "#")
}

// commands returns the tested commands of a page in docs.
func commands(t *testing.T, page, name string) string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, "../docs/"+page), "<!-- tested: "+name+" -->\n```sh\n")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatalf("docs/%s has no %q", page, name)
	}
	return text
}

// The copy of docs/backup.md can be made, and restored, as often as an operator likes.
func TestCopiesOfADay(t *testing.T) {
	sqlite := need.Command(t, "sqlite3")
	root := t.TempDir()
	database := filepath.Join(root, "coinslot", "shop", "coinslot.db")
	backups := filepath.Join(root, "backup")
	fortest.OK(t, errors.Join(os.MkdirAll(filepath.Dir(database), 0o700), os.Mkdir(backups, 0o700)))
	fortest.OK(t, exec.Command(sqlite, database, "CREATE TABLE a (b)").Run())
	block := func(name string) string {
		return strings.NewReplacer("/var/lib", root, "/mnt/backup", backups).
			Replace(commands(t, "backup.md", name))
	}
	for range 2 {
		said, err := exec.Command("sh", "-ec", block("copy")+"sleep 1.1\n").CombinedOutput()
		if err != nil {
			t.Fatalf("copying: %v\n%s", err, said)
		}
	}
	copies := fortest.Must(filepath.Glob(backups + "/coinslot-*.db"))(t)
	fortest.Equal(t, len(copies), 2, "copies")

	for range 2 {
		said, err := exec.Command("sh", "-ec", block("copy restore")+"sleep 1.1\n").CombinedOutput()
		if err != nil {
			t.Fatalf("restoring: %v\n%s", err, said)
		}
	}
	lost := fortest.Must(filepath.Glob(root + "/coinslot-lost/*/coinslot.db"))(t)
	fortest.Equal(t, len(lost), 2, "databases put aside")
	said := fortest.Must(exec.Command(sqlite, database, ".tables").Output())(t)
	fortest.Equal(t, strings.TrimSpace(string(said)), "a", "tables of the restored database")
}
