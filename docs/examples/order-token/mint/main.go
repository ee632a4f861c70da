// Command mint prints an order token: go run ./mint 25.00 1001
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

func main() {
	key := []byte(os.Getenv("COINSLOT_ORDER_KEY"))
	if len(key) < 32 || len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: COINSLOT_ORDER_KEY=… mint AMOUNT REF")
		os.Exit(2)
	}

	header := encode(map[string]any{"alg": "HS256", "typ": "JWT"})
	claims := encode(map[string]any{
		"amount_usd": os.Args[1], // text, never a number
		"order_ref":  os.Args[2],
		"exp":        time.Now().Add(time.Hour).Unix(),
	})
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header + "." + claims))
	fmt.Println(header + "." + claims + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
}

func encode(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain text and numbers
	}
	return base64.RawURLEncoding.EncodeToString(text)
}
