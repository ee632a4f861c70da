package order

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
)

const examples = "../../docs/examples/order-token"

// mints are the worked examples, and how each is run.
var mints = []struct {
	file string
	run  []string
}{
	{"mint/main.go", []string{"go", "run", "./mint"}},
	{"mint.mjs", []string{"node", "mint.mjs"}},
	{"mint.py", []string{"python3", "mint.py"}},
	{"mint.php", []string{"php", "mint.php"}},
	{"mint.rb", []string{"ruby", "mint.rb"}},
}

// Every example mints a valid token, and none with a key of the wrong length.
func TestFullMintExamples(t *testing.T) {
	const ref = `A/+?~ 7"\>>>???`
	for _, m := range mints {
		t.Run(m.file, func(t *testing.T) {
			t.Parallel()
			need.Command(t, m.run[0])
			token := fortest.Must(minted(m.run, key, "25.00", ref))(t)
			o, err := ParseToken(token, []byte(key), time.Now())
			if err != nil || o.AmountUSD.String() != "25" || o.Ref != ref {
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

// docs/order-tokens.md links to every example, and shows the one for Node as it is.
func TestMintExamplesInTheText(t *testing.T) {
	text := fortest.Must(os.ReadFile("../../docs/order-tokens.md"))(t)
	for _, m := range mints {
		fortest.Has(t, "docs/order-tokens.md does not link to "+m.file, string(text),
			"](examples/order-token/"+m.file+")")
	}
	const file = "mint.mjs"
	code := fortest.Must(os.ReadFile(filepath.Join(examples, file)))(t)
	_, shown, _ := strings.Cut(string(text), "```js\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	fortest.Diff(t, shown, string(code), "docs/order-tokens.md differs from %s (-file +text)", file)
}
