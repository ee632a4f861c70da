package https

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// storage is a folder for one ACME server, with the key of the account, and a file for each host
// with the key and the chain of its certificate.
type storage struct{ folder, host string }

// newStorage names the folder after the ACME server, so that a change of the server does not reuse
// what another has signed.
func newStorage(folder, directory, host string) storage {
	_, address, _ := strings.Cut(directory, "://")
	name := strings.Trim(unsafeInNames.ReplaceAllString(address, "-"), "-.")
	return storage{filepath.Join(folder, name), host}
}

var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9.]+`)

const (
	keyBlock         = "PRIVATE KEY"
	certificateBlock = "CERTIFICATE"
)

// accountKey returns the stored key, or a new one that it stores. Errors: the folder or the file
// cannot be used.
func (s storage) accountKey() (crypto.Signer, error) {
	raw, err := os.ReadFile(s.accountPath())
	if errors.Is(err, fs.ErrNotExist) {
		return s.newAccountKey()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key of the ACME account: %w", err)
	}

	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, fmt.Errorf("reading the key of the ACME account: %s has none: delete it",
			s.accountPath())
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading the key of the ACME account: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("reading the key of the ACME account: it cannot sign")
	}
	return signer, nil
}

func (s storage) newAccountKey() (crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	return key, s.write(s.accountPath(), block)
}

// certificate returns the stored one, even if it has expired; nil = there is none for the host.
// Errors: the file cannot be read. One without a certificate for the host is ignored.
func (s storage) certificate() (*tls.Certificate, error) {
	raw, err := os.ReadFile(s.certificatePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}

	pair, err := tls.X509KeyPair(raw, raw)
	if err != nil || pair.Leaf.VerifyHostname(s.host) != nil {
		return nil, nil
	}
	return &pair, nil
}

// store writes a certificate with its key.
func (s storage) store(certificate *tls.Certificate) error {
	content, err := encodeKey(certificate.PrivateKey)
	if err != nil {
		return err
	}
	for _, der := range certificate.Certificate {
		content = append(content,
			pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: der})...)
	}
	return s.write(s.certificatePath(), content)
}

func encodeKey(key any) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: der}), nil
}

// write replaces a file at once: it has the old content or the new at any time.
func (s storage) write(path string, content []byte) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return fmt.Errorf("storing a certificate: %w", err)
	}

	file, err := os.CreateTemp(s.folder, ".new-*") // of mode 0600
	if err != nil {
		return fmt.Errorf("storing a certificate: %w", err)
	}
	defer os.RemoveAll(file.Name()) // of no use after an error, and gone otherwise

	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("storing a certificate: %w", err)
	}
	return nil
}

func (s storage) accountPath() string     { return filepath.Join(s.folder, "account.key") }
func (s storage) certificatePath() string { return filepath.Join(s.folder, s.host+".pem") }
