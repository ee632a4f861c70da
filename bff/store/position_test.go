package store

import (
	"testing"
	"time"
)

func TestEventDigest(t *testing.T) {
	now := time.Now().UnixMicro()
	digest := eventDigest("evt_a", now)
	if digest == eventDigest("evt_b", now) || digest == eventDigest("evt_a", now+1) {
		t.Error("the digest does not tell events apart")
	}
}
