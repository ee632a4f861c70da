package budget

import (
	"slices"
	"sync"
)

// passes is how many background calls of lower ranks may go before one that
// waits: no rank starves, however many of another keep coming.
const passes = 4

// line is where background calls wait for the turn to reserve the next slot:
// by rank, and those of one rank in the order in which they came.
type line struct {
	mu      sync.Mutex // guards the fields below
	busy    bool       // somebody has the turn
	waiting [ranks][]chan struct{}
	passed  [ranks]int // how many of other ranks have gone since one of this has, while one waited
}

// join returns a place in the line. It is closed when the turn is the caller's,
// who has to give it away by next.
func (l *line) join(r Rank) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	place := make(chan struct{})
	if !l.busy {
		l.busy = true
		close(place)
		return place
	}
	l.waiting[r] = append(l.waiting[r], place)
	return place
}

// lengths returns how many wait, by rank.
func (l *line) lengths() (n [ranks]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r := range l.waiting {
		n[r] = len(l.waiting[r])
	}
	return n
}

// quit gives up a place. Where its turn has come in the same moment, it is the
// next one's.
func (l *line) quit(r Rank, place chan struct{}) {
	l.mu.Lock()
	i := slices.Index(l.waiting[r], place)
	if i >= 0 {
		l.waiting[r] = slices.Delete(l.waiting[r], i, i+1)
	}
	l.mu.Unlock()
	if i < 0 {
		l.next()
	}
}

// next gives the turn to whoever is next.
func (l *line) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.first()
	if l.busy = first >= 0; !l.busy {
		return
	}
	for r := range l.waiting {
		if l.passed[r]++; r == first || len(l.waiting[r]) == 0 {
			l.passed[r] = 0
		}
	}
	close(l.waiting[first][0])
	l.waiting[first] = slices.Delete(l.waiting[first], 0, 1)
}

// first returns the rank whose turn it is: the lowest that waits, unless another
// has let enough pass. It is -1 if nobody waits.
func (l *line) first() int {
	lowest, passed := -1, -1
	for r := range l.waiting {
		if len(l.waiting[r]) == 0 {
			continue
		}
		if lowest < 0 {
			lowest = r
		}
		if l.passed[r] >= passes && (passed < 0 || l.passed[r] > l.passed[passed]) {
			passed = r
		}
	}
	if passed >= 0 {
		return passed
	}
	return lowest
}
