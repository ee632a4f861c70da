package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/e2e/need"
)

var attackAtLength = flag.Bool("attack", false,
	"print the figures of an attack on shoppers at its full length")

// attackRig is a server with default limits, and a gateway with the default rate, in fake time.
type attackRig struct {
	*servertest.Rig

	mu       sync.Mutex // guards the fields below
	random   *rand.Rand
	visits   []shopperVisit
	answered map[int]int // answers to the attacker's posts, by status
}

// shopperVisit is what a shopper met with.
type shopperVisit struct {
	trouble  string          // what went wrong first; empty = the shopper was served
	waits    []time.Duration // for an answer to a click, and for the first address
	detected time.Duration   // from the payment to its confirmation
}

func newAttackRig(t *testing.T) *attackRig {
	gateway := sandboxtest.New(sandbox.Config{Key: gatewayKey, Seed: 7})
	c := servertest.Settings(t, "http://localhost:1")
	c.GatewayRPS, c.PollInterval = 10, 3*time.Second
	c.Database = filepath.Join(t.TempDir(), "attack.db") // made in the bubble's time
	// What is read besides has ended then, and with it the bubble.
	t.Cleanup(func() { time.Sleep(20 * time.Second) })
	r, _ := servertest.Start(
		t,
		gateway,
		c,
		server.Options{}.Through(server.GatewayTransport{
			To:    gateway,
			Takes: 100 * time.Millisecond,
		}),
	)
	return &attackRig{Rig: r, answered: map[int]int{}, random: rand.New(rand.NewPCG(1, 2))}
}

// state is what a page learns of its session.
type state struct {
	Status  string
	Session string
	Notice  *struct{ Code string }
	Attempt *struct {
		Address        string
		CurrencySymbol string `json:"currency_symbol"`
	}
}

// click posts from an address and returns the state of the page; a status other than 200 is an
// error.
func (s *attackRig) click(addr, path, body string) (state, error) {
	var got state
	w := s.DoFrom(addr, http.MethodPost, path, body, isJSON, "Accept: application/json")
	if w.Code != http.StatusOK {
		return got, fmt.Errorf("POST %s = %d %.80s", path[strings.LastIndex(path, "/"):], w.Code,
			w.Body)
	}
	return got, json.Unmarshal(w.Body.Bytes(), &got)
}

// The coins that a shopper takes first and changes to.
const (
	firstCoin  = `{"currency_symbol":"USDT","network_code":"trc20"}`
	secondCoin = `{"currency_symbol":"USDT","network_code":"bep20"}`
)

// most is how long a shopper waits for an address.
const most = 15 * time.Second

// chooses clicks on a coin and waits until the page shows an address.
func (s *attackRig) chooses(addr, id, coin string) error {
	began := time.Now()
	got, err := s.click(addr, "/checkout/"+id+"/attempts", coin)
	for err == nil && got.Status != "pending" {
		switch {
		case got.Status != "preparing":
			return fmt.Errorf("after choosing the session is %s, %+v", got.Status, got.Notice)
		case time.Since(began) > most:
			return errors.New("no address in time")
		}
		time.Sleep(time.Second)
		w := s.DoFrom(addr, http.MethodGet, "/checkout/"+id+"/view", "")
		if err = json.Unmarshal(w.Body.Bytes(), &got); w.Code != http.StatusOK {
			err = fmt.Errorf("view = %d", w.Code)
		}
	}
	return err
}

// shop is one shopper: chooses a coin, changes it, requests a check, pays, and sees the
// confirmation.
func (s *attackRig) shop(addr string, changes, checks bool) {
	v := shopperVisit{}
	id := s.Open(`{"amount_usd":"25.00"}`)
	timed := func(what string, do func() error) {
		if v.trouble != "" {
			return
		}
		began := time.Now()
		if err := do(); err != nil {
			v.trouble = what + ": " + err.Error()
			return
		}
		v.waits = append(v.waits, time.Since(began))
		time.Sleep(5*time.Second + s.pause())
	}
	timed("choosing", func() error { return s.chooses(addr, id, firstCoin) })
	if changes {
		timed("changing", func() error { return s.chooses(addr, id, secondCoin) })
	}
	if checks {
		timed("checking", func() error {
			_, err := s.click(addr, "/checkout/"+id+"/recheck", `{}`)
			return err
		})
	}
	if v.trouble == "" {
		v.detected = s.pays(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits = append(s.visits, v)
}

// pause is how long a shopper thinks, up to five seconds.
func (s *attackRig) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(s.random.Int64N(int64(5 * time.Second)))
}

// session is what the merchant reads of a session.
func (s *attackRig) session(id string) (got payment.Object) {
	w := s.Do("GET", "/v1/sessions/"+id, "", bearer)
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		s.T.Error(err)
	}
	return got
}

// pays pays a session and returns how long its confirmation takes while its page is closed.
func (s *attackRig) pays(id string) time.Duration {
	attempts := s.session(id).Attempts
	if err := s.Gateway.Pay(attempts[len(attempts)-1].TrackingCode, sandbox.KindPay); err != nil {
		s.T.Error(err)
	}
	began := time.Now()
	for time.Since(began) < 2*time.Minute && s.session(id).Status != "confirmed" {
		time.Sleep(500 * time.Millisecond)
	}
	return time.Since(began)
}

// shops runs n shoppers, one after another, each at the address from from, and waits for all.
func (s *attackRig) shops(n, every int, gap time.Duration, from func(i int) string) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { s.shop(from(i), every == 1 || i%every == 0, every == 1 || i%every == 1) })
		time.Sleep(gap)
	}
	all.Wait()
}

// attack opens sessions as fast as one address may, then requests checks for them just below the
// limit of posts, until ctx ends. It waits for nothing.
func (s *attackRig) attack(
	ctx context.Context, from func(i int) string, sessions int,
) (opened, ended <-chan struct{}) {
	begun, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		var all sync.WaitGroup
		defer all.Wait()
		var mu sync.Mutex
		var ids []string
		for i := range sessions {
			all.Go(func() {
				got, _ := s.click(from(i), "/checkout", `{"item":"coffee",`+firstCoin[1:])
				mu.Lock()
				defer mu.Unlock()
				if got.Session != "" {
					ids = append(ids, got.Session)
				}
			})
			time.Sleep(time.Minute / 235)
		}
		all.Wait()
		close(begun)
		for i := 0; ctx.Err() == nil && len(ids) > 0; i++ {
			all.Go(func() {
				w := s.DoFrom(from(i), http.MethodPost, "/checkout/"+ids[i%len(ids)]+"/recheck", "",
					isJSON, "Accept: application/json")
				s.mu.Lock()
				defer s.mu.Unlock()
				s.answered[w.Code]++
			})
			time.Sleep(time.Second * 10 / 195)
		}
	}()
	return begun, over
}

// attackLoad is the siege of one attacker, who has begun when shoppers come.
type attackLoad struct {
	shoppers int
	every    int // of them, one in so many changes the coin, and one asks for a check
	gap      time.Duration
	from     func(i int) string
	attacker func(i int) string // the address of its i-th post; nil = calm
	sessions int                // that it opens
}

// outcome is what came of a siege.
type outcome struct {
	served          float64 // part of the shoppers
	addressed       float64 // part of those who got an address at least
	median, slowest time.Duration
	detected        time.Duration // the slowest
	troubles, posts string
}

func (o outcome) String() string {
	return fmt.Sprintf("served %.0f %% (%.0f %% got an address), wait %.2f s (slowest %.2f s), detected within %.1f s%s%s",
		100*o.served, 100*o.addressed, o.median.Seconds(), o.slowest.Seconds(), o.detected.Seconds(), o.posts, o.troubles)
}

func (b attackLoad) run(t *testing.T) (o outcome) {
	synctest.Test(t, func(t *testing.T) {
		s := newAttackRig(t)
		s.Do("GET", "/v1/currencies", "", bearer)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if b.attacker != nil {
			opened, ended := s.attack(ctx, b.attacker, b.sessions)
			<-opened
			time.Sleep(10 * time.Second)
			defer func() { cancel(); <-ended }()
		}
		s.shops(b.shoppers, b.every, b.gap, b.from)
		o = s.outcome()
	})
	return o
}

func (s *attackRig) outcome() (o outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var waits []time.Duration
	troubles := map[string]int{}
	for _, v := range s.visits {
		if v.trouble == "" {
			o.served += 1 / float64(len(s.visits))
		} else {
			troubles[v.trouble]++
		}
		if len(v.waits) > 0 {
			o.addressed += 1 / float64(len(s.visits))
		}
		waits = append(waits, v.waits...)
		o.detected = max(o.detected, v.detected)
	}
	slices.Sort(waits)
	if len(waits) > 0 {
		o.median, o.slowest = waits[len(waits)/2], waits[len(waits)-1]
	}
	if len(troubles) > 0 {
		o.troubles = fmt.Sprint("; ", troubles)
	}
	if len(s.answered) > 0 {
		o.posts = fmt.Sprint("; the attacker was answered ", s.answered)
	}
	return o
}

// Where shoppers and attackers are.
func separateNetworks(i int) string { return fmt.Sprintf("198.51.%d.%d", i/2, 10+i%2) }
func sharedNetwork(int) string      { return "192.0.2.77" }
func withoutAttacker(int) string    { return "203.0.113.9" }
func in48(i int) string             { return fmt.Sprintf("[2001:db8:7:%x::1]", i%1000) }
func in24(i int) string             { return fmt.Sprintf("203.0.113.%d", i%250) }

// A client or network that uses its full limits does not lock out shoppers: all are served,
// whether each has an address or fifty share one, half of them wait at most twice as long as
// without it, and payments are detected within 20 s.
func TestFullAttack(t *testing.T) {
	need.Long(t, "it simulates minutes of an attack")
	forty := attackLoad{
		shoppers: 40,
		every:    4,
		gap:      1500 * time.Millisecond,
		from:     separateNetworks,
		sessions: 150,
	}
	fifty := attackLoad{
		shoppers: 50,
		every:    1,
		gap:      3 * time.Second,
		from:     sharedNetwork,
		sessions: 150,
	}
	for _, c := range []struct {
		name string
		attackLoad
		attacker func(i int) string
		goals    bool // else the figures are only logged
		short    bool
	}{
		{"40 shoppers, one address attacks", forty, withoutAttacker, true, true},
		{"50 shoppers behind one address, another attacks", fifty, withoutAttacker, true, true},
		{"40 shoppers, a /48 attacks", forty, in48, true, false},
		{"40 shoppers, a /24 attacks", forty, in24, true, false},
		{"50 shoppers behind one address, and the attacker", fifty, sharedNetwork, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.short && !*attackAtLength {
				t.Skip("run with -attack")
			}
			if !*attackAtLength {
				c.shoppers /= 2
			}
			calm := c.run(t)
			c.attackLoad.attacker = c.attacker
			under := c.run(t)
			t.Log("calm:  ", calm)
			t.Log("attack:", under)
			if c.goals {
				t.Logf("worst: %.1f %% served, %.2f times the calm wait, detected within %.1f s",
					100*under.served, under.median.Seconds()/calm.median.Seconds(), under.detected.Seconds())
			}
			if calm.served < 0.999 ||
				c.goals &&
					(under.served < 0.999 || under.median > 2*calm.median ||
						under.detected > 20*time.Second) {
				t.Error("want 100 % served, half of them in twice the time of the calm at most, money detected within 20 s")
			}
		})
	}
}

// BenchmarkAttack reports the figures of TestFullAttack at full length, in fake time.
func BenchmarkAttack(b *testing.B) {
	for range b.N {
		cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestFullAttack$", "-test.v",
			"-attack")
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		least, ratio, slowest := 100.0, 0.0, 0.0
		found := figures.FindAllStringSubmatch(string(out), -1)
		for _, f := range found {
			for i, worst := range []func(x float64){
				func(x float64) { least = min(least, x) },
				func(x float64) { ratio = max(ratio, x) },
				func(x float64) { slowest = max(slowest, x) },
			} {
				x := fortest.Must(strconv.ParseFloat(f[i+1], 64))(b)
				worst(x)
			}
		}
		if len(found) == 0 {
			b.Fatalf("no figures in\n%s", out)
		}
		b.ReportMetric(least, "%-served")
		b.ReportMetric(ratio, "times-calm")
		b.ReportMetric(slowest, "detected-s")
	}
}

// figures are what TestFullAttack logs of an attack that has goals.
var figures = regexp.MustCompile(`worst: ([0-9.]+) % served, ([0-9.]+) times the calm wait, detected within ([0-9.]+) s`)
