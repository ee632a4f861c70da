// Package deploy has the deployment files. Its tests parse all of them and run those that can run.
package deploy

import _ "embed"

// Unit is the unit of systemd that coinslot init writes, a template: each shop is an instance.
//
//go:embed coinslot@.service
var Unit string
