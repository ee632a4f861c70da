package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// cache is the folder for what is downloaded.
const cache = ".cache"

// download is something that make test-all needs and Debian does not have, or has too old.
type download struct {
	name string
	mark string // exists in the cache once it is there: a file with the version in its name
	get  func() error
}

// installDownloads provides all downloads that are missing. One that fails does not stop the others.
func installDownloads(out io.Writer) error {
	var errs []error
	for _, d := range downloads() {
		if exists(filepath.Join(cache, d.mark)) {
			continue
		}
		fmt.Fprintf(out, "  install   %s, once (log: %s)\n", d.name, logPath)
		err := d.get()
		if err == nil {
			err = os.WriteFile(filepath.Join(cache, d.mark), nil, 0o644)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", d.name, err))
		}
	}

	return errors.Join(errs...)
}

// downloads lists them in the order in which they need each other.
func downloads() []download {
	var list []download
	if needsNode() {
		list = append(list, download{"Node " + nodeVersion, "node/" + nodeVersion, installNode})
	}

	for _, p := range npmPackages {
		list = append(list, download{p.name + " " + p.version, p.mark(), p.install})
	}

	return append(list,
		download{"the types of React, Vue, Svelte and Solid", "npm-types/" + npmDate, installTypes},
		download{"what docs/npm.md creates", "npm-registry/shop-" + npmDate, cacheShop},
		download{"Express", "npm-registry/express-" + npmDate, cacheExample("express")},
		download{"Eleventy", "npm-registry/eleventy-" + npmDate, cacheExample("eleventy")},
		download{"Astro", "npm-registry/astro-" + npmDate, cacheExample("astro")},
		download{"promtool", "prometheus/installed", installPromtool},
		download{"litestream", "tools/litestream-" + litestream + ".installed", installLitestream},
	)
}

// installPromtool takes Prometheus' tool, which reads metrics, queries and alert rules as Prometheus
// does, out of Debian's package, without the server in it.
func installPromtool() error {
	return script(`mkdir -p .cache/prometheus && cd .cache/prometheus && apt-get download -qq prometheus &&
		dpkg-deb --fsys-tarfile prometheus_*.deb | tar x --strip-components=3 ./usr/bin/promtool &&
		rm prometheus_*.deb`)
}

const litestream = "v0.5.18"

func installLitestream() error {
	return script(`mkdir -p .cache/tools && env GOFLAGS= CGO_ENABLED=0 GOBIN="$PWD/.cache/tools" \
		go install -trimpath github.com/benbjohnson/litestream/cmd/litestream@` + litestream + `
		mv .cache/tools/litestream .cache/tools/litestream-` + litestream)
}

// script runs lines of a shell, which ends at the first that fails.
func script(lines string) error { return logged("bash", "-euo", "pipefail", "-c", lines) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
