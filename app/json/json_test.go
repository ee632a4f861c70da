package json_test

import (
	standard "encoding/json"
	"strings"
	"testing"

	"coinslot/app/json"
	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

// all has a field of every kind that Unmarshal knows.
type all struct {
	Plain    string
	Named    wire.Status `json:"named,omitempty"`
	Int      int         `json:"int"`
	Long     int64       `json:"long"`
	Yes      bool        `json:"yes"`
	Words    []string    `json:"words"`
	Structs  []part      `json:"structs"`
	Pointer  *part       `json:"pointer"`
	Texts    map[string]string
	Left     string `json:"-"`
	unnoted  string
	Numbers  []int   `json:"numbers"`
	Pointers []*part `json:"pointers"`
}

type part struct {
	A string `json:"a"`
	B *bool  `json:"b"`
}

func samples() []string {
	return []string{
		`{"Plain":"a\u00e9\ud83d\ude00\ud83dx\udc00\\\/\"\b\f\n\r\t","named":"open","int":-12,"long":9007199254740993,"yes":true}`,
		"{\"Plain\":\"\xff\xc3(\xe2\x82\",\"Texts\":{\"\xff\":\"\xfe\"}}",
		`{"words":["a",null,"b"],"numbers":[0,-0,1],"structs":[{"a":"1","b":true},{},null],"pointer":{"a":"2","b":null},"pointers":[null,{"a":"3"}]}`,
		`{"words":[],"structs":null,"pointer":null,"Texts":null,"Plain":null,"int":null,"yes":null}`,
		`{"Texts":{"a":"b","c":null,"":"d"},"more":[{"x":[1.5e+3,-0.1,true,false,null,"s"]}],"-":"x","Left":"y","unnoted":"z"}`,
		` { "int" : 1 , "words" : [ "a" , "b" ] } `, `null`, ` true`, `1`, `"a"`, `[]`, `{}`, ``, ` `, `{`, `{"int":1`, `{"int":1}x`, `{"int":1,}`,
		`{"int":1.0}`, `{"int":1e3}`, `{"int":01}`, `{"int":-}`, `{"int":+1}`, `{"int":.5}`, `{"int":1.}`, `{"int":1e}`, `{"int":9223372036854775808}`,
		`{"int":"1"}`, `{"Plain":1}`, `{"words":{}}`, `{"words":"a"}`, `{"structs":[1]}`, `{"pointer":[]}`, `{"Texts":[]}`, `{"Texts":{"a":1}}`, `{"yes":1}`,
		`{"Plain":"` + "\n" + `"}`, `{"Plain":"\x"}`, `{"Plain":"\u12"}`, `{"Plain":"\u+123"}`, `{"Plain":"\ud800\u12"}`, `{"Plain":"\ud800\ud800\udc00"}`, `{"Plain":"a}`, `{Plain:1}`, `{"Plain" "a"}`,
		`[1,]`, `[1 2]`, `nul`, `truee`, `{"":{}}`, `{"pointer":{"b":false}}`,
	}
}

func TestUnmarshalLikeStandardLibrary(t *testing.T) {
	for _, text := range append(samples(), strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001), `{"x":`+strings.Repeat("[", 9_999)+strings.Repeat("]", 9_999)+"}", `{"x":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+"}") {
		compare(t, []byte(text))
	}
}

// compare reads text with both.
func compare(t *testing.T, text []byte) {
	t.Helper()
	var got, want all
	err := json.Unmarshal(text, &got)
	wanted := standard.Unmarshal(text, &want)
	if (err == nil) != (wanted == nil) {
		t.Fatalf("%.200q: error %v; the standard library's is %v", text, err, wanted)
	}
	diff := cmp.Diff(want, got, cmp.AllowUnexported(all{}))
	if err == nil && diff != "" {
		t.Errorf("%.200q:\n%s", text, diff)
	}
}

// FuzzUnmarshal: the answer is the standard library's, whose leniency with
// names of other case and with names said twice is left out.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range samples() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !lenient(text) {
			compare(t, text)
		}
	})
}

// lenient reports whether an object in text has one name twice, in whatever
// case, or a field's name in another case.
func lenient(text []byte) bool {
	d := standard.NewDecoder(strings.NewReader(string(text)))
	var names []map[string]bool // of the open objects; nil for an array
	isName := false
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		top := len(names) - 1
		switch token {
		case standard.Delim('{'):
			names = append(names, map[string]bool{})
			isName = true
			continue
		case standard.Delim('['):
			names = append(names, nil)
			isName = false
			continue
		case standard.Delim('}'), standard.Delim(']'):
			names = names[:top]
			isName = top > 0 && names[top-1] != nil
			continue
		}
		if name, ok := token.(string); ok && isName {
			folded := strings.ToLower(strings.ToUpper(name))
			if names[top][folded] || otherCase(name) {
				return true
			}
			names[top][folded] = true
		}
		isName = top >= 0 && names[top] != nil && !isName
	}
}

// otherCase reports whether name is that of a field in another case.
func otherCase(name string) bool {
	for _, field := range []string{"Plain", "named", "int", "long", "yes", "words", "structs", "pointer", "Texts", "numbers", "pointers", "a", "b"} {
		if name != field && strings.EqualFold(name, field) {
			return true
		}
	}
	return false
}

// TestEveryPage: every page of the gallery is read as the server has written it.
func TestEveryPage(t *testing.T) {
	for _, sample := range screentest.Gallery() {
		sample.Page.Text = map[string]string{"a": "b <&>  \u2028", "c#one": "{n}"}
		sample.Page.Wallets = nil
		text := fortest.Must(standard.Marshal(sample.Page))(t)
		var got, want widget.Page
		fortest.OK(t, standard.Unmarshal(text, &want))
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", sample.Name, err)
		}
		fortest.Diff(t, got, want, "%s", sample.Name)
	}
}

// FuzzMarshal: what is written is read again.
func FuzzMarshal(f *testing.F) {
	f.Add("name", "text \" \\ \n \x00 \xff é 😀 </script>")
	f.Fuzz(func(t *testing.T, name, text string) {
		written, err := json.Marshal(map[string]any{name: text, "fixed": "1"})
		fortest.OK(t, err)
		var got, want map[string]string
		if err := standard.Unmarshal(written, &got); err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		reference, err := standard.Marshal(map[string]string{name: text, "fixed": "1"})
		fortest.OK(t, err)
		fortest.OK(t, standard.Unmarshal(reference, &want))
		if diff := cmp.Diff(want, got); diff != "" && name != "fixed" {
			t.Error(diff)
		}
	})
}

func TestMarshalRefuses(t *testing.T) {
	if _, err := json.Marshal(map[string]any{"a": 1}); err == nil {
		t.Error("a number was written")
	}
}
