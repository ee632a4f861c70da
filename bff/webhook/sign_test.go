package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The vector of the reference libraries' own tests.
const (
	vectorID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	vectorSeconds   = 1614265330
	vectorBody      = `{"test": 2432232314}`
	vectorSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func parse(t testing.TB, secrets ...string) Keys {
	t.Helper()
	return fortest.Must(ParseKeys(secrets))(t)
}

func headers(id, stamp, signature string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", signature)
	return h
}

// independent signs with the standard library alone, as the specification says.
func independent(secret, id string, seconds int64, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + strconv.FormatInt(seconds, 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func TestSignVector(t *testing.T) {
	got, err := parse(t, secretOne).Sign(vectorID, time.Unix(vectorSeconds, 0), []byte(vectorBody))
	if err != nil || got != vectorSignature {
		t.Errorf("Sign = %q, %v; want %q", got, err, vectorSignature)
	}
	fortest.Equal(t, independent(secretOne, vectorID, vectorSeconds, []byte(vectorBody)),
		vectorSignature, "independent signature")
}

func TestSignRefusesDots(t *testing.T) {
	for _, id := range []string{"", ".", "evt_1.2"} {
		if got, err := parse(t, secretOne).Sign(id, time.Unix(1, 0), nil); err == nil {
			t.Errorf("Sign(%q) = %q; want an error", id, got)
		}
	}
}

// TestLibraryVerifies lets the reference library judge what we sign now.
func TestLibraryVerifies(t *testing.T) {
	now, body := time.Now(), []byte(`{"type":"checkout.confirmed"}`)
	signature := fortest.Must(parse(t, secretOne, secretTwo).Sign("evt_1", now, body))(t)
	for _, secret := range []string{secretOne, secretTwo} {
		hook := fortest.Must(standardwebhooks.NewWebhook(secret))(t)
		fortest.OK(t,
			hook.Verify(body, headers("evt_1", strconv.FormatInt(now.Unix(), 10), signature)))
	}
}

func TestVerify(t *testing.T) {
	const at = vectorSeconds
	good, stamp := vectorSignature, strconv.Itoa(at)
	bad := "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
	tests := map[string]struct {
		id, stamp, signature, body string
		want                       error
	}{
		"valid":                    {vectorID, stamp, good, vectorBody, nil},
		"missing id":               {"", stamp, good, vectorBody, ErrUnsigned},
		"missing timestamp":        {vectorID, "", good, vectorBody, ErrUnsigned},
		"missing signature":        {vectorID, stamp, "", vectorBody, ErrUnsigned},
		"body changed by one byte": {vectorID, stamp, good, `{"test": 2432232315}`, ErrSignature},
		"body serialised anew":     {vectorID, stamp, good, `{"test":2432232314}`, ErrSignature},
		"line break added":         {vectorID, stamp, good, vectorBody + "\r\n", ErrSignature},
		"empty body":               {vectorID, stamp, good, "", ErrSignature},
		"truncated":                {vectorID, stamp, good[:len(good)-3], vectorBody, ErrSignature},
		"no signature in it":       {vectorID, stamp, "v1,", vectorBody, ErrSignature},
		"no version":               {vectorID, stamp, good[3:], vectorBody, ErrSignature},
		"other version":            {vectorID, stamp, "v2" + good[2:], vectorBody, ErrSignature},
		"asymmetric version":       {vectorID, stamp, "v1a" + good[2:], vectorBody, ErrSignature},
		"one of several": {
			vectorID, stamp, bad + " v2,x " + good + " " + bad, vectorBody, nil,
		},
		"wrong": {vectorID, stamp, bad, vectorBody, ErrSignature},
		"1,000 signatures": {
			vectorID, stamp, strings.Repeat(bad+" ", 999) + good, vectorBody, ErrUnsigned,
		},
		"timestamp words":    {vectorID, "abc", good, vectorBody, ErrUnsigned},
		"timestamp fraction": {vectorID, stamp + ".5", good, vectorBody, ErrUnsigned},
		"timestamp 2^63":     {vectorID, "9223372036854775808", good, vectorBody, ErrUnsigned},
		"timestamp 2^63-1":   {vectorID, "9223372036854775807", good, vectorBody, ErrTimestamp},
		"timestamp -2^63": {
			vectorID, "-9223372036854775808", good, vectorBody, ErrTimestamp,
		},
		"timestamp milliseconds": {vectorID, stamp + "000", good, vectorBody, ErrTimestamp},
		"other timestamp":        {vectorID, strconv.Itoa(at + 1), good, vectorBody, ErrSignature},
		"id changed":             {"msg_other", stamp, good, vectorBody, ErrSignature},
		"id with a dot":          {"msg.x", stamp, good, vectorBody, ErrUnsigned},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := parse(t, secretOne).Verify(headers(tc.id, tc.stamp, tc.signature),
				[]byte(tc.body), time.Unix(at, 0))
			fortest.Is(t, got, tc.want, "Verify")
		})
	}
}

func TestVerifyClock(t *testing.T) {
	h := headers(vectorID, strconv.Itoa(vectorSeconds), vectorSignature)
	for offset, want := range map[time.Duration]error{
		-301 * time.Second: ErrTimestamp,
		-300 * time.Second: nil,
		0:                  nil,
		300 * time.Second:  nil,
		301 * time.Second:  ErrTimestamp,
		10 * time.Minute:   ErrTimestamp,
	} {
		got := parse(t, secretOne).Verify(h, []byte(vectorBody),
			time.Unix(vectorSeconds, 0).Add(offset))
		fortest.Is(t, got, want, "Verify %v after signing", offset)
	}
}

func TestVerifyRotation(t *testing.T) {
	h := headers(vectorID, strconv.Itoa(vectorSeconds), vectorSignature)
	for name, tc := range map[string]struct {
		secrets []string
		want    error
	}{
		"before":  {[]string{secretOne}, nil},
		"overlap": {[]string{secretTwo, secretOne}, nil},
		"after":   {[]string{secretTwo}, ErrSignature},
		"no keys": {nil, ErrSignature},
	} {
		got := parse(t, tc.secrets...).Verify(h, []byte(vectorBody), time.Unix(vectorSeconds, 0))
		fortest.Is(t, got, tc.want, "%s: Verify", name)
	}
}

func TestCheckSecret(t *testing.T) {
	encode := func(n int) string {
		return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, n))
	}
	for _, good := range []string{
		secretOne, secretTwo, "whsec_" + encode(24), "whsec_" + encode(64),
	} {
		fortest.OK(t, CheckSecret(good))
	}
	for name, bad := range map[string]string{
		"empty":        "",
		"a word":       "changeme",
		"prefix alone": "whsec_",
		"no prefix":    encode(32),
		"upper case":   "WHSEC_" + encode(32),
		"8 bytes":      "whsec_" + encode(8),
		"23 bytes":     "whsec_" + encode(23),
		"65 bytes":     "whsec_" + encode(65),
		"not base64":   "whsec_sekrit!sekrit!sekrit!sekrit!sekrit!",
		"URL alphabet": "whsec_" +
			base64.URLEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, 32)),
		"no padding": "whsec_" +
			base64.RawStdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, 32)),
		"spaces":            " " + secretOne,
		"line break":        secretOne + "\n",
		"line break inside": secretOne[:20] + "\n" + secretOne[20:],
		"dirty bits":        "whsec_" + strings.Repeat("A", 42) + "B=",
		"asymmetric":        "whsk_" + encode(32),
	} {
		err := CheckSecret(bad)
		if err == nil {
			t.Errorf("%s: CheckSecret accepts it", name)
			continue
		}
		if len(bad) > 6 && strings.Contains(err.Error(), bad[6:]) {
			t.Errorf("%s: CheckSecret's error holds the value: %v", name, err)
		}
	}
}
