package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/torture/goal"
)

// moneyPackages have something to do with money. In the strict ones there is no
// binary fraction at all; in the others each has its reason here.
var moneyPackages = []struct {
	dir     string
	allowed map[string]string // reason, by "file.go: what"
}{
	{dir: "bff/payment"},
	{dir: "bff/checkout"},
	{dir: "bff/recovery"},
	{dir: "bff/reconcile"},
	{dir: "bff/listing"},
	{dir: "bff/poller"},
	{dir: "bff/gateway"},
	{dir: "bff/order"},
	{dir: "bff/store"},
	{dir: "app/wire"},
	{dir: "bff/sandbox"},
	{dir: "app/address"},
	{dir: "app/screen"},
	{dir: "app/widget"},
	{dir: "bff/api"},
	{dir: "bff/shop"},
	{dir: "bff/web", allowed: map[string]string{
		"encoding.go: ParseFloat": "the weight of an encoding in Accept-Encoding",
		"encoding.go: 1.0":        "the same",
	}},
}

// floatOperation are names that stand for binary fractions, wherever they come from.
var floatOperation = map[string]bool{
	"float32": true, "float64": true, "complex64": true, "complex128": true,
	"ParseFloat": true, "FormatFloat": true, "AppendFloat": true,
	"Float": true, "Float32": true, "Float64": true, "InexactFloat64": true,
	"NewFromFloat": true, "NewFromFloat32": true, "NewFromFloatWithExponent": true,
	"NewFloat": true, "SetFloat64": true, "FloatString": true,
	"ExpFloat64": true, "NormFloat64": true,
}

// fractions returns every use of a binary fraction in f, by its place. A whole number in scientific
// form is none where it is compared with something, which makes it that one's type: n < 1e11.
func fractions(f *ast.File) map[token.Pos]string {
	found, whole := map[token.Pos]string{}, map[ast.Expr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if compares[n.Op] {
				whole[n.X], whole[n.Y] = isInteger(n.X), isInteger(n.Y)
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "math" && !intBound.MatchString(n.Sel.Name) {
				found[n.Pos()] = "math." + n.Sel.Name
			}
		case *ast.Ident:
			if floatOperation[n.Name] {
				found[n.Pos()] = n.Name
			}
		case *ast.BasicLit:
			if (n.Kind == token.FLOAT || n.Kind == token.IMAG) && !whole[n] {
				found[n.Pos()] = n.Value
			}
		}
		return true
	})
	return found
}

var (
	compares = map[token.Token]bool{
		token.LSS: true, token.LEQ: true, token.GTR: true, token.GEQ: true, token.EQL: true, token.NEQ: true,
	}
	intBound = regexp.MustCompile(`^(Max|Min)(Int|Uint)\d*$`)
)

// isInteger reports whether e is a number written like 1e11.
func isInteger(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	return ok && regexp.MustCompile(`^\d+e\d+$`).MatchString(literal.Value)
}

// goFiles returns the files below dir that are compiled into something other than a test.
func goFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("listing %s: %d files, %v", dir, len(names), err)
	}
	return names
}

// TestTortureFloats: 0.1 has no binary form, so none is near an amount.
func TestTortureFloats(t *testing.T) {
	began := time.Now()
	files, violations, allowed := 0, 0, 0
	for _, p := range moneyPackages {
		used := map[string]bool{}
		for _, name := range goFiles(t, filepath.Join("../..", p.dir)) {
			files++
			set := token.NewFileSet()
			f := fortest.Must(parser.ParseFile(set, name, nil, 0))(t)
			for at, what := range fractions(f) {
				key := filepath.Base(name) + ": " + what
				if used[key] = true; p.allowed[key] != "" {
					allowed++
					continue
				}
				violations++
				t.Errorf("%s: %s near money", set.Position(at), what)
			}
		}
		for key := range p.allowed {
			if !used[key] {
				t.Errorf("%s: %s is allowed and not there", p.dir, key)
			}
		}
	}
	goal.Report(t, goal.Result{
		Goal: "float lint", Rounds: files, Wanted: files, Violations: violations, Took: time.Since(began),
		Figure: fmt.Sprintf("files of %d packages without a binary fraction, but for %d uses that are no money", len(moneyPackages), allowed),
	})
}

// The lint has to be able to find something.
func TestFractionsAreFound(t *testing.T) {
	for _, source := range []string{
		"var x float64", "var x = 0.1", "var x, _ = strconv.ParseFloat(s, 64)", "var x = amount.InexactFloat64()",
		"type t struct { Amount *float32 }", "func f() { g(decimal.NewFromFloat(v)) }", "var x = 1e3", "var x = math.Sqrt(y)", "var x = y < 1.5",
	} {
		set := token.NewFileSet()
		f := fortest.Must(parser.ParseFile(set, "x.go", "package x\n"+source, 0))(t)
		if len(fractions(f)) != 1 {
			t.Errorf("%s: found %v; want one fraction", source, fractions(f))
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x; var x, y, z = n < 1e11, "float64 0.1", math.MaxInt64`, 0)
	if err != nil || len(fractions(f)) != 0 {
		t.Errorf("found %v in whole numbers, %v", fractions(f), err)
	}
}
