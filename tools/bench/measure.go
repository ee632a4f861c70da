package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// figure is a metric of a benchmark.
type figure struct{ in, of, unit string }

// measure runs the benchmarks of the rows one after another, so that none disturbs another, and
// reports progress. The error names what could not be measured, which is missing in found.
func measure(
	ctx context.Context, wanted []row, progress io.Writer,
) (found map[figure]float64, failed error) {
	found = map[figure]float64{}
	list := benchmarksOf(wanted)
	for i, n := range list {
		fmt.Fprintf(progress, "[%d/%d] %s %s ", i+1, len(list), n.in, n.of)
		began := time.Now()
		text, err := benchmark(ctx, n.in, n.of)
		failed = errors.Join(failed, err)
		for of, metrics := range parse(text) {
			for unit, value := range metrics {
				found[figure{n.in, of, unit}] = value
			}
		}

		fmt.Fprintf(progress, "%s\n", time.Since(began).Round(time.Second))
		if ctx.Err() != nil {
			break
		}
	}

	return found, failed
}

// benchmarkRef is a top-level benchmark of a package.
type benchmarkRef struct{ in, of string }

// benchmarksOf returns the benchmarks of the rows, each once, in their order.
func benchmarksOf(wanted []row) []benchmarkRef {
	var list []benchmarkRef
	for _, r := range wanted {
		top, _, _ := strings.Cut(r.benchmark, "/")
		if n := (benchmarkRef{r.pkg, top}); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// benchmark runs one and returns its output, which an error contains too.
func benchmark(ctx context.Context, in, of string) (string, error) {
	often := cmp.Or(benchtimes[in+"."+of], "1x")
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark"+of+"$",
		"-benchmem", "-benchtime", often, "-timeout", "30m", in)
	out, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("measuring %s in %s: %w\n%s", of, in, err, out)
	}
	return string(out), err
}

// cores is the end of a benchmark's name that says on how many cores it ran.
var cores = regexp.MustCompile(`-\d+$`)

// parse returns the metrics of benchmarks by unit, by name without "Benchmark" and the number of
// cores.
//
// Source: the Go benchmark data format, https://go.dev/design/14313-benchmark-format.
func parse(text string) map[string]map[string]float64 {
	found := map[string]map[string]float64{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}

		metrics := map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				metrics[fields[i+1]] = value
			}
		}

		name := strings.TrimPrefix(fields[0], "Benchmark")
		found[cores.ReplaceAllString(name, "")] = metrics
	}

	return found
}
