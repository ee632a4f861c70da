package feed

import (
	"testing"

	"coinslot/app/wire"
)

// FuzzVersions gives a feed views in any order: what is shown never goes back,
// and the newest view that was heard is the one on screen.
func FuzzVersions(f *testing.F) {
	f.Add(int64(0), []byte{1, 2, 2, 1, 3})
	f.Add(int64(5), []byte{4, 0, 5, 255, 6})
	f.Add(int64(-1), []byte{0})
	f.Add(int64(1)<<62, []byte{1})
	f.Add(int64(3), []byte{})
	f.Fuzz(func(t *testing.T, from int64, versions []byte) {
		newest := from
		shown := from
		feed := New(Config{
			Version: from,
			OnView: func(v wire.View) {
				if v.Version < shown {
					t.Fatalf("version %d is shown after %d", v.Version, shown)
				}
				shown = v.Version
			},
		})
		for _, b := range versions {
			version := int64(b)
			grown := feed.apply(wire.View{Version: version})
			if grown != (version > newest) {
				t.Fatalf("version %d after %d counts as newer: %t", version, newest, grown)
			}
			newest = max(newest, version)
			if shown != newest {
				t.Fatalf("version %d is shown; %d was heard", shown, newest)
			}
		}
	})
}
