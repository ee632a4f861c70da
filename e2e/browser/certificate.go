package browser

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"sync"
	"time"
)

// serverKey is that of the only certificates which every browser of this process believes.
var serverKey = sync.OnceValue(func() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("browser: making a key: %v", err))
	}
	return key
})

// trusted names serverKey as Chromium's command line wants it: a certificate with it is not only
// accepted in spite of an error but has none, so what it protects is cached as usual.
func trusted() string {
	public, err := x509.MarshalPKIXPublicKey(serverKey().Public())
	if err != nil {
		panic(fmt.Sprintf("browser: encoding a key: %v", err))
	}
	sum := sha256.Sum256(public)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// WriteCertificate writes a certificate for hosts that browsers of this package believe, and its
// key, as PEM. Hosts of *.test are this machine.
func WriteCertificate(certPath, keyPath string, hosts ...string) error {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: hosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	key := serverKey()
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(certPath, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600),
		os.WriteFile(keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}
