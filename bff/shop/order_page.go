package shop

import (
	"net/http"

	"coinslot/bff/web"
)

// show is GET /checkout?order=… or ?item=…: the page of an order that is not stored until the
// shopper chooses a coin. Programs get its view.
func (o *orders) show(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	offered := parseOffer(q)
	f := o.pages.hosts.read(r, q)
	order, err := o.find(offered, f)
	if err != nil {
		return err
	}

	// Without the database, the shopper can still look at the order.
	session, found, _ := o.checkout.FindByOrder(r.Context(), order)
	if found && !session.TimedOut(o.site.Now()) { // choosing a coin reopens it
		to := "/checkout/" + session.ID
		if web.WantsJSON(r) {
			to += "/view"
		}
		o.site.Redirect(w, r, to+f.query())
		return nil
	}

	priced, err := o.checkout.Price(r.Context(), order)
	if err != nil {
		return web.StorageError(err)
	}
	page := o.page(r.Context(), priced, offered, f)
	if web.WantsJSON(r) {
		return web.Respond(w, http.StatusOK, page.View)
	}
	return o.pages.write(w, r, http.StatusOK, keepCoin(page, q), f)
}
