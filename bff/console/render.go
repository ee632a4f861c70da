package console

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"coinslot/bff/console/auth"
)

// Each page is one template, beside the code that fills it. It defines "content", which
// gets the page's View; layout.html has what surrounds it, parts.html and forms.html what
// pages share. Templates write the attributes of an element in alphabetical order.
//
//go:embed *.html
var templateFiles embed.FS

// templates returns a set for each page by its file's name without ".html"; its times are of the
// zone. It panics on one that does not parse, so that a console with a broken template does not
// start.
func templates(zone *time.Location) map[string]*template.Template {
	shared := template.Must(template.New("").Funcs(template.FuncMap{
		"clean":        cleanText,
		"shorten":      shortenText,
		"emailParts":   emailParts,
		"external":     isExternal,
		"coinIcon":     coinIcon,
		"count":        formatCount,
		"atMost":       formatCappedCount,
		"plural":       formatPlural,
		"paymentPath":  paymentPath,
		"trimZeros":    trimZeros,
		"days":         days,
		"gatewayBadge": gatewayBadge,
		"symbolOf":     coinSymbol,
		"sum":          formatSum,
		"hidden":       func(name, value string) hidden { return hidden{name, value} },
		"amount":       func(digits, unit string) amount { return amount{digits, unit} },
		"coin":         func(symbol, network string) coin { return coin{symbol, network, ""} },
		"tx":           func(id, url string) tx { return tx{ID: id, URL: url} },
		"link":         func(to, label string) link { return link{to, label} },
		"moment":       func(at, now time.Time) moment { return moment{at, now} },
		"local":        func(t time.Time) time.Time { return t.In(zone) },
		"zone":         zone.String,
	}).ParseFS(templateFiles, "layout.html", "parts.html", "forms.html"))
	files, err := templateFiles.ReadDir(".")
	if err != nil {
		panic(err)
	}

	pages := map[string]*template.Template{}
	for _, file := range files {
		page := template.Must(template.Must(shared.Clone()).ParseFS(templateFiles, file.Name()))
		if page.Lookup("content") != nil {
			pages[strings.TrimSuffix(file.Name(), ".html")] = page
		}
	}

	return pages
}

// What the parts of parts.html are filled with.
type (
	// badge is a word in a color: Kind is "good", "wait", "warn", "bad", or "" for none.
	// Word has the meaning of the color. Status is for tests; empty = none.
	badge struct{ Kind, Word, Status string }
	// note is a sentence of explanation; Kind as of a badge.
	note struct{ Kind, Text string }
	// amount is an exact decimal as it is, with its unit behind it; no Digits = none.
	amount struct{ Digits, Unit string }
	// price is what an order costs, as people write it. Charge is the same in dollars; empty = it
	// is in dollars.
	price struct{ Amount, Charge string }
	// coin is what is paid with. Mark is the address of the network's icon; empty = none.
	coin struct{ Symbol, Network, Mark string }
	// moment is a time as it is seen from Now; a zero At is none.
	moment struct{ At, Now time.Time }
	// orderName names a payment as the shop does, by Ref and Title, else by its ID.
	orderName struct{ ID, Ref, Title string }
	// tx is a transaction on a blockchain; URL is of the explorer, empty = not known.
	tx   struct{ ID, URL string }
	link struct{ To, Label string }
)

// Apart is how far the moment is from now.
func (m moment) Apart() string { return formatRelative(m.At, m.Now) }

// page is what a handler answers with.
type page struct {
	Title   string
	Lead    string // a sentence under the title; empty = none
	Section string // path of the entry of the navigation that it belongs to
	Back    link   // to the list that the page is one of; zero = none
	Tools   []tool // beside the title
	Status  int    // of the answer; zero = 200

	template string // the template's name
	View     any    // what the template gets
}

// tool is a link beside the title.
type tool struct {
	To, Label, Part string // Part is the data-part, for tests
	Primary         bool
}

// exportTool leads to a list as a file for spreadsheets; form is the list's.
func exportTool(path string, form url.Values) tool {
	return tool{
		To:    linkWith(path+".csv", formWithoutPage(form), "", ""),
		Label: "Export as CSV",
		Part:  "export",
	}
}

// section is one entry of the navigation.
type section struct {
	Path, Name string
	Current    bool
	Alarms     int // shown beside the name; zero is not
}

// sections returns all that the navigation can have, in its order.
func sections() []section {
	return []section{
		{Path: overviewPath, Name: "Overview"}, {Path: paymentsPath, Name: "Payments"},
		{Path: webhooksPath, Name: "Webhooks"},
		{Path: transactionsPath, Name: "Gateway transactions"},
		{Path: withdrawalsPath, Name: "Withdrawals"},
		{Path: reconciliationPath, Name: "Reconciliation"},
		{Path: statementsPath, Name: "Statements"},
		{Path: ratesPath, Name: "Exchange rates"},
		{Path: alertsPath, Name: "Alerts"},
		{Path: originsPath, Name: "Origins"}, {Path: auditPath, Name: "Audit"},
	}
}

// navigation returns the sections that this shop has use of.
func (c *console) navigation() []section {
	return slices.DeleteFunc(sections(), func(s section) bool {
		return s.Path == ratesPath && c.Exchange == nil || s.Path == alertsPath && c.Alerts == nil
	})
}

// sectionOf returns the entry of the navigation that a path belongs to.
func sectionOf(path string) section {
	all := sections()
	for _, s := range all[1:] {
		if path == s.Path || strings.HasPrefix(path, s.Path+"/") {
			return s
		}
	}
	return all[0]
}

// frame is a page with what surrounds it.
type frame struct {
	page
	CSS string // address of the stylesheet
	// Who is signed in; empty = no one, without navigation and sign-out.
	Who string
	// Token is of the form that signs out; empty = an operator named by a proxy, who cannot.
	Token    string
	Notice   note   // about what was just done; zero = none
	Search   string // what payments are searched for
	Sections []section
	Test     bool // no real money moves
}

// write answers with a whole document. Nothing is sent of one that cannot be rendered.
func (c *console) write(w http.ResponseWriter, f frame) {
	f.CSS = c.css
	f.Test = c.Test
	var out bytes.Buffer
	if err := c.templates[f.template].ExecuteTemplate(&out, "layout", f); err != nil {
		c.Log.Error("rendering a console page failed", "page", f.template, "error", err)
		http.Error(w, "The page cannot be rendered.", http.StatusInternalServerError)
		return
	}

	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if f.Status != 0 {
		w.WriteHeader(f.Status)
	}

	w.Write(out.Bytes()) // a client that has gone is not our error
}

type signInView struct {
	auth.Screen
	Password field
}

// writeSignIn writes what someone sees who is not signed in.
func (c *console) writeSignIn(w http.ResponseWriter, s auth.Screen) {
	p := page{
		Title:    s.Title,
		Status:   s.Status,
		template: "message",
		View:     messageView{Text: s.Message},
	}
	if s.Message == "" {
		p.template = "signin"
		p.View = signInView{s, field{
			Name:         "password",
			Label:        "Password",
			Type:         "password",
			Max:          auth.MaxPassword,
			Autocomplete: "current-password",
			Required:     true,
			Focus:        true,
		}}
	}

	f := frame{page: p}
	if s.SignedOut {
		f.Notice = note{"good", "You are signed out."}
	}

	c.write(w, f)
}
