// Package bundle joins the modules of a browser script into one file.
package bundle

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"coinslot/static/stylesheet"

	"github.com/evanw/esbuild/pkg/api"
)

// ownNames matches names that only checkout.js's modules use, and no browser: they are shortened.
const ownNames = "^(on(Load|Hello|Blocked|Online|Escape|Close|Status|Error)|" +
	"closeButton|restart|settle|emit|promise|iframe|dialog|update|change)$"

// Script returns the modules under static/name, from main.js on, as one classic script for browsers
// since 2022. An imported stylesheet is a string. Errors: a module cannot be read or parsed.
func Script(static, name string, minify bool) ([]byte, error) {
	folder, err := filepath.Abs(static)
	if err != nil {
		return nil, fmt.Errorf("bundling %s.js: %w", name, err)
	}

	result := api.Build(api.BuildOptions{
		AbsWorkingDir: folder,
		EntryPoints:   []string{name + "/main.js"},
		Bundle:        true,
		Format:        api.FormatIIFE,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		MinifySyntax:  minify,
		LegalComments: api.LegalCommentsNone,
		LogLevel:      api.LogLevelSilent,
		MangleProps:   ownNames,
		TsconfigRaw:   "{}", // ignore the configuration of editors and tests
		Plugins:       []api.Plugin{styleSheets(folder, minify)},
	})
	if err := joinErrors(result.Errors); err != nil {
		return nil, fmt.Errorf("bundling %s.js: %w", name, err)
	}

	script := result.OutputFiles[0].Contents
	if minify {
		// A second pass also shortens the names of modules, which saves 15 bytes.
		script = api.Transform(string(script), api.TransformOptions{
			Target:            api.ES2022,
			Charset:           api.CharsetUTF8,
			MinifyWhitespace:  true,
			MinifyIdentifiers: true,
			MinifySyntax:      true,
		}).Code
	}

	return bytes.TrimSpace(script), nil
}

// styleSheets loads imported stylesheets as minified strings. "checkout.css" is that of package
// stylesheet.
func styleSheets(static string, minify bool) api.Plugin {
	const joined = "joined" // namespace of imports that are no files
	load := func(file api.OnLoadArgs) (loaded api.OnLoadResult, err error) {
		var text []byte
		if file.Namespace == joined {
			text, err = stylesheet.Join(os.DirFS(static), stylesheet.Checkout)
		} else {
			text, err = os.ReadFile(file.Path)
		}
		if err != nil {
			return loaded, err
		}

		result := api.Transform(string(text), api.TransformOptions{
			Sourcefile:       file.Path,
			Loader:           api.LoaderCSS,
			Target:           api.ES2022,
			MinifyWhitespace: minify,
			MinifySyntax:     minify,
			Charset:          api.CharsetUTF8,
		})
		css := strings.TrimSpace(string(result.Code))
		return api.OnLoadResult{Contents: &css, Loader: api.LoaderText}, joinErrors(result.Errors)
	}
	resolve := func(file api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: file.Path, Namespace: joined}, nil
	}
	return api.Plugin{
		Name: "stylesheets",
		Setup: func(build api.PluginBuild) {
			build.OnResolve(api.OnResolveOptions{Filter: `^checkout\.css$`}, resolve)
			build.OnLoad(api.OnLoadOptions{Filter: `\.css$`, Namespace: joined}, load)
			build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, load)
		},
	}
}

// joinErrors returns esbuild's messages as one error; nil if there are none.
func joinErrors(messages []api.Message) error {
	if len(messages) == 0 {
		return nil
	}
	lines := api.FormatMessages(messages, api.FormatMessagesOptions{})
	return fmt.Errorf("%s", strings.TrimSpace(strings.Join(lines, "\n")))
}
