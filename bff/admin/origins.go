package admin

import (
	"net/url"
	"slices"
	"strings"

	"coinslot/app/widget/node"
	"coinslot/bff/admin/page"
	"coinslot/bff/records"
)

const originsPath = "/admin/origins"

// originsPage is GET /admin/origins: which host pages may show the checkout, and
// which have tried and may not. Anybody can claim any host, so none is a link.
func (s *console) originsPage(v *visit) (page.Page, error) {
	refused, err := s.refusedOrigins(v)
	if err != nil {
		return page.Page{}, err
	}
	var rows [][]node.Node
	for _, o := range refused {
		session := page.None()
		if o.Session != "" {
			session = page.Link(paymentPath(o.Session), page.Short(o.Session))
		}
		rows = append(rows, []node.Node{
			page.Code(o.Origin), page.Text(page.Count(o.Times)), page.Text(page.Count(o.Sessions)),
			page.Ago(o.LastAt, v.now()), page.Ago(o.FirstAt, v.now()), session,
			page.Code(s.allowing(o.Origin)),
		})
	}
	var allowed []node.Node
	for _, origin := range s.Origins {
		allowed = append(allowed, page.El("li").Body(page.Code(origin)))
	}
	if len(allowed) == 0 {
		allowed = []node.Node{
			page.El("li").Text("None: the checkout opens as a page of its own everywhere."),
		}
	}
	return page.Page{
		Title: "Origins", Section: originsPath,
		Lead:  "Host pages that may show the checkout in a frame, and those that wanted to.",
		Tools: []node.Node{page.Export(originsPath+".csv", nil)},
		Body: []node.Node{
			page.Block("allowed", "Allowed by COINSLOT_ORIGINS", page.El("ul").Body(allowed...)),
			page.Block("refused", "Refused",
				page.Note(
					"",
					"If a host is yours, copy the setting beside it and restart. If it is not, "+
						"do nothing: all it shows is a link. Anybody can pretend to be any host; "+
						"at most 200 are kept.",
				),
				page.Table{Caption: "Host pages that were refused, the last first",
					Empty: "No other host page has wanted to show the checkout.", Rows: rows,
					Columns: []page.Column{
						{Name: "Host page"}, {Name: "Times", Number: true},
						{Name: "Payments", Number: true}, {Name: "Last time"}, {Name: "First time"},
						{Name: "Last payment"}, {Name: "To add this host"},
					}}.Draw()),
		},
	}, nil
}

// refusedOrigins returns those that are not allowed meanwhile.
func (s *console) refusedOrigins(v *visit) ([]records.RefusedOrigin, error) {
	list, err := s.Records.RefusedOrigins(v.r.Context())
	return slices.DeleteFunc(
		list, func(o records.RefusedOrigin) bool { return slices.Contains(s.Origins, o.Origin) },
	), err
}

// allowing is the setting that allows an origin, too.
func (s *console) allowing(origin string) string {
	return "COINSLOT_ORIGINS=" + strings.Join(append(slices.Clone(s.Origins), origin), ",")
}

// originsFile is GET /admin/origins.csv.
func (s *console) originsFile(v *visit, _ url.Values) (sheet, error) {
	var rows [][]string
	list, err := s.refusedOrigins(v)
	for _, o := range list {
		rows = append(rows, []string{
			o.Origin, page.Plain(o.Times), page.Plain(o.Sessions), stamp(o.FirstAt),
			stamp(o.LastAt), o.Session,
		})
	}
	return sheet{
		[]string{"origin", "times", "sessions", "first", "last", "session"}, whole(rows),
	}, err
}
