package compile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Version says which sources a program was built from. All but Name may be unknown.
type Version struct {
	Name    string    // v1.2.3; Development if the commit has no such tag
	Commit  string    // hash of the commit; empty = unknown
	Time    time.Time // when the commit was made; zero = unknown
	Changed string    // files that differ from the commit, a line each; empty = none
}

// Development is the name of a version without a tag.
const Development = "v0.0.0-dev"

// semver is a semantic version with v in front. Source: semver.org.
var semver = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

// FindVersion asks git for the version of the sources in root. name and commit may be given;
// without a name, it is the commit's tag. The time is that of SOURCE_DATE_EPOCH
// (reproducible-builds.org/specs/source-date-epoch) or of the commit. Without a repository, only
// the name is known.
//
// Errors: name is not like v1.2.3; git failed; SOURCE_DATE_EPOCH is not a number.
func FindVersion(root, name, commit string) (v Version, err error) {
	if name != "" && !semver.MatchString(name) {
		return v, fmt.Errorf("version %q: must be like v1.2.3", name)
	}

	v = Version{Name: name, Commit: commit}
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		if err := v.readGit(root); err != nil {
			return v, err
		}
	}
	if v.Name == "" {
		v.Name = Development
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		v.Time, err = unixTime(epoch)
		if err != nil {
			return v, fmt.Errorf("SOURCE_DATE_EPOCH: must be seconds since 1970: %w", err)
		}
	}

	return v, nil
}

// readGit sets the fields that are not known yet.
func (v *Version) readGit(root string) (err error) {
	if v.Commit == "" {
		v.Commit, err = Git(root, "rev-parse", "HEAD")
		if err != nil {
			return err
		}
		v.Changed, err = Git(root, "status", "--porcelain", "--untracked-files=no")
		if err != nil {
			return err
		}
	}

	epoch, err := Git(root, "show", "-s", "--format=%ct", v.Commit)
	if err != nil && os.Getenv("SOURCE_DATE_EPOCH") != "" {
		return nil // the caller knows the time of a commit that this clone does not have
	}
	if err != nil {
		return err
	}

	v.Time, err = unixTime(epoch)
	if err != nil || v.Name != "" {
		return err
	}

	tags, err := Git(root, "tag", "--points-at", v.Commit, "--sort=-version:refname")
	for tag := range strings.FieldsSeq(tags) {
		if semver.MatchString(tag) {
			v.Name = tag
			break
		}
	}

	return err
}

// stamp is main.stamp of ./bff: the known fields, separated by spaces.
func (v Version) stamp() string {
	fields := []string{v.Name}
	if v.Commit != "" {
		fields = append(fields, v.Commit)
		if !v.Time.IsZero() {
			fields = append(fields, v.Time.Format(time.RFC3339))
			if v.Changed != "" {
				fields = append(fields, "changed")
			}
		}
	}
	return strings.Join(fields, " ")
}

func unixTime(seconds string) (time.Time, error) {
	n, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC(), err
}

// Git returns what a git command prints about the sources in root, trimmed.
func Git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	return Output(cmd)
}

// Output returns what a command like git status prints, trimmed. An error has what the command
// wrote to its standard error.
func Output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	name := strings.Join(cmd.Args[:2], " ")
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %s", name, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// GoApp is the module that is patched for the browser (docs/patches.md).
const GoApp = "github.com/maxence-charriere/go-app/v10"

// Module is a module that go.mod requires, as the Go command has downloaded it.
type Module struct {
	Path, Version string
	Dir           string // of its sources, which are read-only
	Sum           string // its hash in go.sum, "h1:…"
}

// FindModule returns a module that the go.mod in root requires, after downloading it if necessary.
//
// Errors: the download failed; its hash differs from go.sum.
func FindModule(root, path string) (Module, error) {
	command := exec.Command("go", "mod", "download", "-json", path)
	command.Dir = root
	command.Env = Env("", "")
	text, err := command.Output()
	var found struct {
		Module
		Error string
	}
	decoding := json.Unmarshal(text, &found)
	if decoding == nil && found.Error != "" {
		return Module{}, fmt.Errorf("downloading %s: %s", path, found.Error)
	}
	if err != nil {
		return Module{}, fmt.Errorf("downloading %s: %w", path, err)
	}
	if found.Dir == "" {
		return Module{}, fmt.Errorf("downloading %s: the Go command returned no folder", path)
	}

	return found.Module, nil
}
