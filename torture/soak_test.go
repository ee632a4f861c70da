//go:build linux

package torture

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/torture/goal"
)

const (
	soakShoppers = 16
	soakPause    = 2 * time.Second  // the longest pause between two steps of a shopper
	soakListens  = 30 * time.Second // how long a socket stays open
	soakMinutes  = 240              // of all lives together
	soakDays     = 4320             // a day of COINSLOT_RETENTION takes 20 s
)

// sample is what a process holds, each at its least within a minute: what a request holds while it
// is answered, and garbage, are not in it.
type sample struct {
	Life     int // counts processes
	Minute   int // of the life
	Sessions int // that the life has opened
	Held     map[string]float64
}

// held are the columns of a sample, and how much each may grow in a life after its first quarter:
// some that does not depend on the load, since caches fill and the heap breathes with its garbage
// collector, and so much for each session.
//
// Whatever a session leaves behind for good is one goroutine, one file, or a map's entry with its
// id: 27 bytes, and at least 37 around them. What is stored of a session that was paid stays: 2.3 kB,
// two to four events of 2 to 3 kB, and their indexes; of others, a tombstone.
var held = []struct {
	name, unit, metric string
	some, each         float64
	inWork             bool // counts what is in work, too: in a run of seconds, that is most of it
}{
	{"resident memory", "MB", "process_resident_memory_bytes", 16e6, 64, false},
	{"heap, twice what is alive", "MB", "go_memstats_next_gc_bytes", 8e6, 128, false},
	{"goroutines", "", "go_goroutines", 40, 0, true},
	{"open files", "", "process_open_fds", 40, 0, true},
	{"database", "MB", "", 4e6, 16e3, false},
}

// TestTortureSoak serves a crowd for hours, with a gateway and an endpoint that fail at times, and
// looks whether the process holds more and more.
func TestTortureSoak(t *testing.T) { soak(t, "soak, SQLite", newSQLite) }

// TestTorturePostgresSoak is TestTortureSoak on the other database.
func TestTorturePostgresSoak(t *testing.T) { soak(t, "soak, PostgreSQL", newPostgres) }

func soak(t *testing.T, name string, store func(testing.TB) database) {
	began := time.Now()
	r := goal.Result{Goal: name, Wanted: soakMinutes, Seed: goal.Seed(t)}
	minute, rounds := time.Second, goal.Rounds(8, soakMinutes)
	file := filepath.Join(t.TempDir(), "samples")
	w := newWorld(t, r.Seed, store(t), 1)
	w.pause, w.listens = soakPause/8, time.Second
	if goal.Long() { // what an earlier run has measured counts
		minute, w.pause, w.listens = time.Minute, soakPause, soakListens
		w.env = append(w.env, "CRASH_HURRY=10", "CRASH_DAYS="+strconv.Itoa(soakDays))
		file = filepath.Join("..", ".cache", strings.ReplaceAll(name, ", ", "-")+".jsonl")
	}
	all := readSamples(t, file)
	life := 1
	if len(all) > 0 {
		life = all[len(all)-1].Life + 1
	}
	p := w.startAndWait(0)
	stop := w.startShoppers(soakShoppers)
	for n := 1; len(all) < rounds; n++ {
		w.soakFaults(n)
		s := w.sample(p, minute)
		s.Life, s.Minute = life, n
		all = append(all, s)
		appendSample(t, file, s)
		t.Logf("%d of %d: %d sessions, %v", len(all), rounds, s.Sessions, s.Held)
		if n%10 == 0 {
			w.awaitConsistency()
		}
	}
	stop()
	if goal.Long() {
		w.deletions(patience + 31*24*time.Hour/soakDays) // webhooks are tried for 30 days before
	} else {
		w.awaitRest(all[0])
	}
	w.finalCheck()
	for _, why := range growth(all) {
		w.violate("", "%s", why)
	}
	r.Rounds, r.Violations, r.Took = len(all), w.reportViolations(), time.Since(began)
	r.Figure = fmt.Sprintf("minutes in %d lives: %d sessions, %d events", life, sessionsOf(all),
		len(w.sink.events))
	fortest.OK(t, os.WriteFile(strings.TrimSuffix(file, ".jsonl")+".svg", chart(all), 0o644))
	goal.Report(t, r)
}

// soakFaults chooses what goes wrong in minute n: always a little, the gateway in some minutes a
// lot, and the merchant's endpoint is down in others.
func (w *world) soakFaults(n int) {
	w.gateway.setFaults(0.02, 0.1)
	if n%6 == 3 {
		w.gateway.setFaults(0.7, 0.7)
	}
	w.sink.setFaults(sinkShare)
	w.sink.down.Store(n%5 == 2)
}

// sample watches p for a minute.
func (w *world) sample(p *process, minute time.Duration) sample {
	s := sample{Held: map[string]float64{}}
	const looks = 12
	for range looks {
		select {
		case <-wait(minute / looks):
		case <-p.gone:
			w.t.Fatalf("coinslot has ended by itself: %v\n%s", p.cmd.ProcessState, w.log)
		}
		metrics := w.metrics()
		for _, h := range held {
			value, ok := metrics[h.metric]
			if h.metric == "" {
				value, ok = float64(w.store.size(w.t)), true
			}
			if least, known := s.Held[h.name]; ok && (!known || value < least) {
				s.Held[h.name] = value
			}
		}
	}
	if len(s.Held) < len(held) {
		w.t.Fatalf("metrics are missing: %v", s.Held)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.Sessions = len(w.sessions)
	return s
}

// awaitRest waits until no more than at the beginning is held of what counts work, once shoppers
// have stopped: what a session leaves behind for good stays.
func (w *world) awaitRest(first sample) {
	w.t.Helper()
	for _, h := range held {
		if !h.inWork {
			continue
		}
		fortest.Within(w.t, patience, h.name+" to be as few as at the beginning", func() bool {
			return w.metrics()[h.metric] <= first.Held[h.name]+h.some
		})
	}
}

// metrics returns those without labels, by name.
func (w *world) metrics() map[string]float64 {
	_, text, err := w.call(context.Background(), w.opsHost(0), http.MethodGet, "/metrics", "", nil)
	fortest.OK(w.t, err)
	all := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			all[name] = n
		}
	}
	return all
}

// growth says what has grown too much in a life, from its second quarter on.
func growth(all []sample) (wrong []string) {
	for life := range slices.Values(lives(all)) {
		later := life[len(life)/4:]
		sessions := float64(later[len(later)-1].Sessions - later[0].Sessions)
		for _, h := range held {
			if h.inWork && !goal.Long() {
				continue // see awaitRest
			}
			grown := slope(later, h.name) * float64(len(later)-1)
			if most := h.some + h.each*sessions; grown > most {
				wrong = append(wrong, fmt.Sprintf("life %d: %s grew by %.0f in %d minutes and %.0f sessions; at most %.0f",
					life[0].Life, h.name, grown, len(later), sessions, most))
			}
		}
	}
	return wrong
}

// lives divides samples by process.
func lives(all []sample) (list [][]sample) {
	for i, s := range all {
		if i == 0 || s.Life != all[i-1].Life {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], s)
	}
	return list
}

// slope is the median of the slopes between any two samples, by sample, which a few samples that
// stand out do not change (the Theil-Sen estimator). It is zero for fewer than two.
func slope(list []sample, name string) float64 {
	var slopes []float64
	for i, a := range list {
		for j, b := range list[:i] {
			slopes = append(slopes, (a.Held[name]-b.Held[name])/float64(i-j))
		}
	}
	slices.Sort(slopes)
	if len(slopes) == 0 {
		return 0
	}
	return slopes[len(slopes)/2]
}

// sessionsOf counts those of all lives.
func sessionsOf(all []sample) (n int) {
	for _, life := range lives(all) {
		n += life[len(life)-1].Sessions
	}
	return n
}

// readSamples reads a file that may be missing.
func readSamples(t testing.TB, file string) (all []sample) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	fortest.OK(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var s sample
		fortest.OK(t, json.Unmarshal(lines.Bytes(), &s))
		all = append(all, s)
	}
	return all
}

func appendSample(t testing.TB, file string, s sample) {
	f := fortest.Must(os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644))(t)
	defer f.Close()
	fortest.OK(t, json.NewEncoder(f).Encode(s))
}

// chart draws a panel for each column of the samples, as SVG. Its x axis is the time of all lives
// together, with a line where one begins.
func chart(all []sample) []byte {
	const width, height, gap, left = 720, 90, 34, 60
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+
		"\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", left+width+
		20, len(held)*(height+gap)+30)
	x := func(i int) int { return left + width*i/max(len(all)-1, 1) }
	for k, h := range held {
		bottom, scale, top := gap+k*(height+gap)+height, 1.0, 0.0
		if h.unit == "MB" {
			scale = 1e6
		}
		for _, s := range all {
			top = max(top, s.Held[h.name]/scale)
		}
		top = cmp.Or(top*1.15, 1)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", left,
			bottom-height-6, strings.TrimSuffix(h.name+", "+h.unit, ", "))
		for _, value := range []float64{0, top / 2, top} {
			y := bottom - int(height*value/top)
			fmt.Fprintf(&b, "<path d=\"M%d %dH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>\n",
				left, y, left+width, left-6, y+4, value)
		}
		i := 0
		for _, life := range lives(all) {
			fmt.Fprintf(
				&b,
				"<path d=\"M%d %dV%d\" stroke=\"#bbb\" stroke-dasharray=\"3\"/><polyline fill=\"none\" stroke=\"#0b62c4\" stroke-width=\"1.5\" points=\"",
				x(i),
				bottom,
				bottom-height,
			)
			for _, s := range life {
				fmt.Fprintf(&b, "%d,%d ", x(i), bottom-int(height*s.Held[h.name]/scale/top))
				i++
			}
			b.WriteString("\"/>\n")
		}
	}
	for minute := 0; minute < len(all); minute += max(30, len(all)/8/30*30) {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%g h</text>\n", x(minute),
			len(held)*(height+gap)+18, float64(minute)/60)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
