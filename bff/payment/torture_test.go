package payment

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/token"
	"coinslot/torture/goal"

	"github.com/shopspring/decimal"
)

// The oracle computes in integers: amounts in 1e-18 coins, tolerances in 1e-18 percent. It does
// not use the decimal package.
const oracleDigits = 18

var (
	one18       = ten(oracleDigits)                        // 1, in units
	unit8       = ten(10)                                  // 1e-8, in units
	hundred18   = new(big.Int).Mul(big.NewInt(100), one18) // 100 percent
	hundredths  = new(big.Int).Mul(hundred18, unit8)       // 1e-8 times 100 percent
	tolerated18 = new(big.Int).Mul(big.NewInt(2), one18)   // the most that is ever tolerated
)

// powers of ten; read-only.
var powers = func() (p [48]*big.Int) {
	p[0] = big.NewInt(1)
	for i := 1; i < len(p); i++ {
		p[i] = new(big.Int).Mul(p[i-1], big.NewInt(10))
	}
	return p
}()

func ten(n int) *big.Int { return powers[n] }

// triple is one case: need was requested, paid arrived, tolerance may be missing. The numbers
// are in the oracle's units.
type triple struct {
	need, paid, tolerance *big.Int
	coin                  int // index of tortureCoins
	shift                 int // how many zeros the decimals carry at their end, where they can
}

// tortureCoins are coins and the digits that they can carry.
var tortureCoins = []struct {
	symbol, network string
	digits          int
}{
	{"USDT", "trc20", 6},
	{"usdt", "ERC20", 6},
	{"USDT", "bep20", 8},
	{"USDC", "polygon", 6},
	{"USDC", "BSC", 8},
	{"ETH", "arbitrum", 8}, {"BNB", "bep20", 8}, {"TON", "ton", 8}, {"BTC", "?", 8},
}

// truth is the oracle's answer.
type truth struct {
	least, payable, missing, over *big.Int // missing and over are nil for none
	proven                        bool
}

// ceil rounds up to a multiple of unit.
func ceil(v, unit *big.Int) *big.Int {
	quotient, rest := new(big.Int).QuoRem(v, unit, new(big.Int))
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient.Mul(quotient, unit)
}

func (q triple) truth() truth {
	tolerance := q.tolerance
	if tolerance.Sign() < 0 {
		tolerance = new(big.Int)
	}
	if tolerance.Cmp(tolerated18) > 0 {
		tolerance = tolerated18
	}
	// least = need * (100 - tolerance) / 100, up to whole units of 1e-8: the
	// division by a hundred percent and by the unit is one.
	product := new(big.Int).Mul(q.need, new(big.Int).Sub(hundred18, tolerance))
	least := ceil(product, hundredths)
	least.Quo(least, hundred18)

	grain := ten(oracleDigits - tortureCoins[q.coin].digits)
	t := truth{least: least, payable: ceil(q.need, grain)}
	excess := new(big.Int).Mul(q.need,
		big.NewInt(10)) // of 25 USD, so ten times is also 100 USD more
	t.proven = q.need.Sign() > 0 && q.paid.Cmp(least) >= 0 && q.paid.Cmp(excess) < 0
	if q.paid.Sign() > 0 && q.paid.Cmp(least) < 0 {
		t.missing = ceil(new(big.Int).Sub(q.need, q.paid), grain)
	}
	if over := new(big.Int).Sub(q.paid, t.payable); q.need.Sign() > 0 && over.Sign() > 0 {
		t.over = over
	}
	return t
}

// exact returns v as a decimal without up to zeros of its trailing zeros: equal values have
// many forms.
func exact(v *big.Int, zeros int) decimal.Decimal {
	coefficient, exponent := new(big.Int).Set(v), int32(-oracleDigits)
	for rest := new(big.Int); zeros > 0; zeros-- {
		quotient, rest := new(big.Int).QuoRem(coefficient, big.NewInt(10), rest)
		if rest.Sign() != 0 {
			break
		}
		coefficient, exponent = quotient, exponent+1
	}
	return decimal.NewFromBigInt(coefficient, exponent)
}

// words writes v as decimal text, "" for nil.
func words(v *big.Int) string {
	if v == nil {
		return ""
	}
	whole, rest := new(big.Int).QuoRem(new(big.Int).Abs(v), one18, new(big.Int))
	text := whole.String()
	if rest.Sign() != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%018s", rest.String()), "0")
	}
	if v.Sign() < 0 {
		text = "-" + text
	}
	return text
}

// differs returns how the domain differs from the oracle; "" = not at all.
func (q triple) differs() string {
	want, coin := q.truth(), tortureCoins[q.coin]
	s, r := waiting(), paid()
	a := &s.Attempts[0]
	a.CurrencySymbol, a.NetworkCode = coin.symbol, coin.network
	r.CurrencyCode, r.NetworkCode = strings.ToLower(coin.symbol+"_"+coin.network), coin.network
	a.PayAmount, a.Tolerance = exact(q.need, q.shift), exact(q.tolerance, q.shift)
	r.PayAmount, r.Paid = exact(q.need, 0), exact(q.paid, q.shift)

	if got := LeastPaid(a.PayAmount, a.Tolerance); !got.Equal(exact(want.least, 0)) {
		return fmt.Sprintf("LeastPaid = %s; want %s", got, words(want.least))
	}
	if got := checkGate(s, a, r, env) == ""; got != want.proven {
		return fmt.Sprintf("the gate says proven = %v; want %v", got, want.proven)
	}
	if got := FormatAmount(a.PayAmount.RoundCeil(token.Builtin().Places(coin.symbol,
		coin.network))); got != words(want.payable) {
		return fmt.Sprintf("payable = %s; want %s", got, words(want.payable))
	}
	a.Paid = r.Paid
	if got := a.Missing(a.Digits(token.Builtin())); got != words(want.missing) {
		return fmt.Sprintf("missing = %q; want %q", got, words(want.missing))
	}
	if got := a.Overpaid(a.Digits(token.Builtin())); got != words(want.over) {
		return fmt.Sprintf("overpaid = %q; want %q", got, words(want.over))
	}
	return q.promises(a, r, s)
}

// promises checks that paying the requested or the missing amount suffices, and that a row
// stores amounts exactly.
func (q triple) promises(a *Attempt, r Record, s *Session) string {
	if !a.PayAmount.IsPositive() {
		return ""
	}
	// A need far below the smallest unit of its token is not worth 25 USD: rounding
	// it up may make it ten times as much, which no order does.
	excess := a.PayAmount.Mul(decimal.NewFromInt(10))
	refused := func() bool { return r.Paid.LessThan(excess) && checkGate(s, a, r, env) != "" }
	if r.Paid = a.PayAmount.RoundCeil(a.Digits(token.Builtin())); refused() {
		return "the payable amount is not enough"
	}
	// Beyond eight digits, which the gateway is not documented to send, the least
	// amount can be more than what is asked for.
	eight := new(big.Int).Rem(q.need, unit8).Sign() == 0
	if missing := a.Missing(a.Digits(token.Builtin())); missing != "" && eight {
		if r.Paid = a.Paid.Add(dec(missing)); refused() {
			return "what is missing is not enough"
		}
	}
	if q.shift%6 != 0 { // the slowest check, now and then
		return ""
	}
	var kept Attempt
	row, err := json.Marshal(a)
	if err != nil || json.Unmarshal(row, &kept) != nil || !kept.Paid.Equal(a.Paid) ||
		!kept.PayAmount.Equal(a.PayAmount) || !kept.Tolerance.Equal(a.Tolerance) {
		return fmt.Sprintf("the row %s does not keep the amounts (%v)", row, err)
	}
	return ""
}

// below returns a number from 0 to limit-1.
func below(rng *rand.Rand, limit *big.Int) *big.Int {
	v := new(big.Int)
	for range 1 + limit.BitLen()/64 {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(rng.Uint64()))
	}
	return v.Mod(v, limit)
}

// drawNeed draws an amount to pay: mostly with eight digits, of any magnitude.
func drawNeed(rng *rand.Rand) *big.Int {
	need := below(rng, ten(1+rng.IntN(24)))
	switch rng.IntN(20) {
	case 0:
		need = new(big.Int) // nothing is ever proven by it
	case 1:
		need = big.NewInt(1) // the least number of 1e-8
	case 2:
		need = new(big.Int).Set(ten(rng.IntN(30)))
	case 3:
		need.Sub(ten(1+rng.IntN(30)), big.NewInt(1)) // all nines
	case 4:
		return below(rng, ten(1+rng.IntN(30))) // digits beyond the eighth
	case 5:
		need.Neg(need)
	}
	return need.Mul(need, unit8)
}

// drawTolerance draws percentages: usual, zero, all, above the cap, negative, and with many digits.
func drawTolerance(rng *rand.Rand) *big.Int {
	percent := big.NewInt([]int64{0, 1, 2, 3, 100, 101, 1_000_000, -1, -100}[rng.IntN(9)])
	percent.Mul(percent, one18)
	switch rng.IntN(4) {
	case 0:
		percent = below(rng, tolerated18)
	case 1: // next to a whole one
		percent.Add(percent, big.NewInt(int64(rng.IntN(3)-1)))
	case 2: // of two digits, as a gateway would have it
		percent.Mul(big.NewInt(int64(rng.IntN(400))), ten(oracleDigits-2))
	}
	return percent
}

// drawPaid draws a paid amount, mostly close to a decision boundary.
func drawPaid(rng *rand.Rand, q triple) *big.Int {
	t := q.truth()
	paid := []*big.Int{
		t.least, t.least, t.payable, q.need, new(big.Int), below(rng, ten(1+rng.IntN(40))),
	}[rng.IntN(6)]
	paid = new(big.Int).Set(paid)
	step := []*big.Int{unit8, unit8, big.NewInt(1), ten(12), new(big.Int)}[rng.IntN(5)]
	paid.Add(paid, new(big.Int).Mul(step, big.NewInt(int64(rng.IntN(3)-1))))
	switch rng.IntN(16) {
	case 0:
		paid.Mul(paid, ten(6)) // a mistake of units
	case 1:
		paid.Mul(paid, ten(12)) // a mistake of decimals
	case 2:
		paid.Neg(paid)
	case 3:
		paid.Quo(paid, ten(rng.IntN(20)))
	}
	return paid
}

func drawTriple(rng *rand.Rand) triple {
	q := triple{
		need:      drawNeed(rng),
		tolerance: drawTolerance(rng),
		coin:      rng.IntN(len(tortureCoins)),
		shift:     rng.IntN(30),
	}
	q.paid = new(big.Int)
	q.paid = drawPaid(rng, q)
	return q
}

// TestTortureDecimals compares the arithmetic of the gate and the view with integers.
func TestTortureDecimals(t *testing.T) {
	began, seed := time.Now(), goal.Seed(t)
	rounds := goal.Rounds(20_000, 10_000_000)
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	var mu sync.Mutex // guards the fields below
	violations, proven, floors := 0, 0, 0
	for w := range workers {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(w)))
			wrong, yes, floor := 0, 0, 0
			for n := w; n < rounds; n += workers {
				q := drawTriple(rng)
				if truth := q.truth(); truth.proven {
					yes++
				} else if truth.missing != nil &&
					new(big.Int).Sub(truth.least, q.paid).Cmp(unit8) <= 0 {
					floor++
				}
				if why := q.differs(); why != "" {
					if wrong++; wrong < 5 {
						t.Errorf("need %s, paid %s, tolerance %s %%, %v: %s", words(q.need),
							words(q.paid), words(q.tolerance), tortureCoins[q.coin], why)
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			violations, proven, floors = violations+wrong, proven+yes, floors+floor
		})
	}
	all.Wait()
	goal.Report(t, goal.Result{
		Goal:       "decimals",
		Rounds:     rounds,
		Wanted:     10_000_000,
		Violations: violations,
		Seed:       seed,
		Took:       time.Since(began),
		Figure: fmt.Sprintf(
			"triples of need, paid and tolerance against whole numbers: %d paid in full, %d short by no more than 0.00000001",
			proven,
			floors,
		),
	})
}
