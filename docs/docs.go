// Package docs holds those pages of this folder that the server serves.
package docs

import _ "embed"

// OpenAPI is openapi.yaml; package reference completes it.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Errors is errors.md.
//
//go:embed errors.md
var Errors []byte
