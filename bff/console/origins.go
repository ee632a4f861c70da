package console

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/check"
)

const originsPath = "/admin/origins"

type originsView struct {
	Now     time.Time
	Allowed []string
	Refused []originRow // the last first
}

// originRow is a host page that was refused. Anybody can claim any host, so none is a link.
type originRow struct {
	attention.RefusedOrigin
	Line string // that allows it too
}

// origins is GET /admin/origins: which host pages may show the checkout, and
// which have tried and may not.
func (c *console) origins(r *request) (page, error) {
	refused, err := c.refusedOrigins(r)
	if err != nil {
		return page{}, err
	}

	view := originsView{Now: r.now(), Allowed: c.site.Origins}
	for _, o := range refused {
		line := check.AllowLine(c.AddOrigin, c.site.Origins, o.Origin)
		view.Refused = append(view.Refused, originRow{o, line})
	}

	return page{
		Title:    "Origins",
		Section:  originsPath,
		Lead:     "Host pages that may show the checkout in a frame, and those that tried to.",
		Tools:    []tool{exportTool(originsPath, nil)},
		template: "origins",
		View:     view,
	}, nil
}

// refusedOrigins returns those that are not allowed meanwhile.
func (c *console) refusedOrigins(r *request) ([]attention.RefusedOrigin, error) {
	list, err := c.Records.RefusedOrigins(r.r.Context())
	return slices.DeleteFunc(list, func(o attention.RefusedOrigin) bool {
		return slices.Contains(c.site.Origins, o.Origin)
	}), err
}

// exportOrigins is GET /admin/origins.csv.
func (c *console) exportOrigins(r *request, _ url.Values) (exportFile, error) {
	var rows [][]string
	list, err := c.refusedOrigins(r)
	for _, o := range list {
		rows = append(rows, []string{
			o.Origin, strconv.Itoa(o.Times), strconv.Itoa(o.Sessions), formatTimestamp(o.FirstAt),
			formatTimestamp(o.LastAt), o.Session,
		})
	}

	return exportFile{
		Columns: []string{"origin", "times", "sessions", "first", "last", "session"},
		Pages:   rowsAtOnce(rows),
	}, err
}
