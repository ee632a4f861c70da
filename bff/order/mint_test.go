package order

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/e2e/need"

	"github.com/google/go-cmp/cmp"
)

const examples = "../../docs/examples/order-token"

// mints are the worked examples: how each is run, and its language in the text.
var mints = []struct {
	file, language string
	run            []string
}{
	{"mint/main.go", "go", []string{"go", "run", "./mint"}},
	{"mint.mjs", "js", []string{"node", "mint.mjs"}},
	{"mint.py", "python", []string{"python3", "mint.py"}},
	{"mint.php", "php", []string{"php", "mint.php"}},
	{"mint.rb", "ruby", []string{"ruby", "mint.rb"}},
}

// Every worked example mints a token that is taken for what it was told, and
// none without a key of the right length.
func TestMintExamples(t *testing.T) {
	const ref = `A/+?~ 7"\>>>???`
	for _, m := range mints {
		t.Run(m.file, func(t *testing.T) {
			t.Parallel()
			need.Command(t, m.run[0])
			token, err := minted(m.run, key, "25.00", ref)
			if err != nil {
				t.Fatal(err)
			}
			o, err := ParseToken(token, []byte(key), time.Now())
			if err != nil || !o.HasAmount("25.00") || o.Ref != ref {
				t.Errorf("ParseToken(%s) = %+v, %v", token, o, err)
			}
			if _, err := ParseToken(token, []byte(key), time.Now().Add(2*time.Hour)); err == nil {
				t.Error("the token does not expire")
			}
			if _, err := ParseToken(token, []byte(key+"x"), time.Now()); err == nil {
				t.Error("the token is good with another key")
			}
			if token, err := minted(m.run, key[:31], "25.00", ref); err == nil {
				t.Errorf("a key of 31 bytes signs %s", token)
			}
		})
	}
}

// minted runs an example.
func minted(run []string, key, amount, ref string) (string, error) {
	command := exec.Command(run[0], append(run[1:len(run):len(run)], amount, ref)...)
	command.Dir = examples
	command.Env = append(os.Environ(), "COINSLOT_ORDER_KEY="+key)
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}

// The text shows the very files that are tested.
func TestMintExamplesInTheText(t *testing.T) {
	text, err := os.ReadFile("../../docs/order-tokens.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```\n").FindAllStringSubmatch(string(text), -1) {
		shown[m[1]] = m[2]
	}
	for _, m := range mints {
		file, err := os.ReadFile(filepath.Join(examples, m.file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(file), shown[m.language]); diff != "" {
			t.Errorf("docs/order-tokens.md differs from %s (-file +text):\n%s", m.file, diff)
		}
	}
}
