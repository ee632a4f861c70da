package server_test

// Why inputs are answered wrongly today.
const (
	firstOfTwo   = "a header that may be given once is given twice, and the first counts"
	anyHost      = "webURL takes hosts and ports that no browser can go to"
	dropped      = "a query that does not parse loses the filter: everything is listed"
	firstFilter  = "of a filter that is given twice the first counts"
	nobodyReads  = "posts without a documented body take any"
	notAMark     = "cursors are taken whose second part is no session id"
	empties      = "parts of a message are not counted as talk"
	foldsLetters = "strings.EqualFold folds letters beyond ASCII (U+017F is an s)"
	critical     = "RFC 7515, 4.1.11: an extension that is critical and not understood has to be refused"
)

// knownWrong are inputs that are answered wrongly today, and why. An entry is
// removed with the correction: until then the test fails if the answer is right.
var knownWrong = map[string]string{
	"B11/key of one order, reference of another": "the session of the reference is returned, though the key stands for another body",
	"B11/key twice":              firstOfTwo,
	"B11/key twice the same":     firstOfTwo,
	"B16/two, JSON first":        firstOfTwo,
	"B16/coded, said second":     firstOfTwo,
	"B52/two origins, own first": firstOfTwo,
	"B52/two sites, own first":   firstOfTwo,
	"B59/two origins, own first": firstOfTwo,
	"B16/coded form":             "the Content-Encoding of a form is not looked at",

	`B18/"https://$(x)/" of 13`:                      anyHost,
	`B18/"https://.." of 10`:                         anyHost,
	`B18/"https://.shop.example/" of 22`:             anyHost,
	`B18/"https://<script>/" of 17`:                  anyHost,
	`B18/"https://[fe80::1%25eth0]/" of 25`:          anyHost,
	`B18/"https://a;b/" of 12`:                       anyHost,
	`B18/"https://shop.example,evil.example/" of 34`: anyHost,
	`B18/"https://shop.example/\u202egpj.exe" of 31`: "links are not looked through for direction-changing characters, as texts are",
	`B18/"https://shop.example:0/" of 23`:            anyHost,
	`B18/"https://shop.example:65536/" of 27`:        anyHost,
	`B18/"https://shop.example:99999999999/" of 33`:  anyHost,
	"B20/metadata null":                              "null becomes the empty text",
	"B21/order_id 0":                                 "zero is taken for absent",

	"B23/bad escape":                    dropped,
	"B23/bad escape of the status":      dropped,
	"B23/half an escape":                dropped,
	"B23/semicolons":                    dropped,
	"B23/bracket":                       "filters that do not exist are ignored: everything is listed",
	"B23/unknown":                       "filters that do not exist are ignored: everything is listed",
	"B23/limit twice":                   firstFilter,
	"B23/status twice":                  firstFilter,
	"B23/limit=%2B5":                    "strconv.Atoi takes a plus",
	"B23/cursor=-1.x":                   notAMark,
	"B23/cursor=1.%00":                  notAMark,
	"B23/cursor=1.":                     notAMark,
	"B23/cursor=1.cs_a%27%20OR%201=1--": notAMark,

	`B25/cancel with [] at /chec`:                     nobodyReads,
	`B25/cancel with [] at /v1/s`:                     nobodyReads,
	`B25/cancel with null at /chec`:                   nobodyReads,
	`B25/cancel with null at /v1/s`:                   nobodyReads,
	`B25/cancel with { at /chec`:                      nobodyReads,
	`B25/cancel with { at /v1/s`:                      nobodyReads,
	`B25/cancel with {"amount_usd":"0.01"} at /chec`:  nobodyReads,
	`B25/cancel with {"amount_usd":"0.01"} at /v1/s`:  nobodyReads,
	`B25/cancel with {"status":"confirmed"} at /chec`: nobodyReads,
	`B25/cancel with {"status":"confirmed"} at /v1/s`: nobodyReads,

	"B27/limit 0": "docs/api.md says 1 to 10,000; zero is taken for absent",

	"B29/critical extension":      critical,
	"B29/payload not encoded":     critical,
	`B29/exp "in quotes"`:         "json.Number takes a number in quotes",
	"B29/payload not UTF-8":       "param is empty, where ParseToken promises the claim or \"order\"",
	"B49/long s":                  foldsLetters,
	`B59/"http://localhoſt:8080"`: foldsLetters,
	"B60/HTTP/1.0":                "RFC 6455, 4.1: a handshake is of HTTP/1.1 at least",
	"B61/5,000 empty parts":       empties,
	"B61/parts above a kilobyte":  empties,

	"B96/catalogue ttl of a fraction": "the fraction is dropped without a word",
	"B96/catalogue two documents":     "what follows --- is ignored without a word",
}
