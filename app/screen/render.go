package screen

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// Render implements app.Composer, which go-app calls in a browser.
func (c *Checkout) Render() app.UI { return c.Draw().UI() }

func (c *chooser) Render() app.UI   { return c.Draw().UI() }
func (s *closed) Render() app.UI    { return s.Draw().UI() }
func (s *confirmed) Render() app.UI { return s.Draw().UI() }
func (s *ended) Render() app.UI     { return s.Draw().UI() }
func (s *pay) Render() app.UI       { return s.Draw().UI() }
func (s *preparing) Render() app.UI { return s.Draw().UI() }
func (s *refused) Render() app.UI   { return s.Draw().UI() }
func (s *review) Render() app.UI    { return s.Draw().UI() }
func (s *seen) Render() app.UI      { return s.Draw().UI() }
