// Package integrations tests what shop systems load: the parts of it that need neither the shop system nor a checkout.
// e2e TestFullMedusa runs the payment provider for Medusa with both.
package integrations

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/evanw/esbuild/pkg/api"
)

// The payment provider for Medusa, without its types, with a stand-in for Medusa's framework.
func TestMedusaProvider(t *testing.T) {
	t.Parallel()
	node := need.Command(t, "node")
	out := filepath.Join(t.TempDir(), "provider.test.mjs")
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{"medusa/test/provider.test.ts"}, Outfile: out, Write: true, Bundle: true,
		Platform: api.PlatformNode, Format: api.FormatESModule, LogLevel: api.LogLevelWarning,
		Alias: map[string]string{"@medusajs/framework/utils": "./medusa/test/framework.ts"},
	})
	if len(built.Errors) > 0 {
		t.Fatalf("bundling the tests: %v", built.Errors)
	}
	passes(t, exec.Command(node, "--test", out))
}

func passes(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, said)
	}
}

// The plugin for WooCommerce, with stand-ins for WordPress.
func TestWooCommercePlugin(t *testing.T) {
	t.Parallel()
	passes(t, exec.Command(need.Command(t, "php"), "woocommerce/tests/run.php"))
}

// Each integration has a test of each behavior of README.md, by its name.
func TestBehaviors(t *testing.T) {
	t.Parallel()
	list := string(fortest.Must(os.ReadFile("README.md"))(t))
	behaviors := regexp.MustCompile(`(?m)^\d+\. \*\*(.+)\.\*\*`).FindAllStringSubmatch(list, -1)
	if len(behaviors) == 0 {
		t.Fatal("README.md lists no behavior")
	}
	declarations := map[string]string{
		"medusa/test/provider.test.ts": `test("%"`,
		"woocommerce/tests/run.php":    `'%' => function`,
	}
	for file, declaration := range declarations {
		tests := string(fortest.Must(os.ReadFile(file))(t))
		for _, behavior := range behaviors {
			if !strings.Contains(tests, strings.Replace(declaration, "%", behavior[1], 1)) {
				t.Errorf("%s has no test named %q", file, behavior[1])
			}
		}
	}
}
