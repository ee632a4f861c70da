//go:build !linux

package browser

import (
	"os"
	"syscall"
)

// tied has nothing to add here: the browser ends when its command pipe closes,
// which happens however the test binary ends.
func tied() *syscall.SysProcAttr { return nil }

// killGroup ends the browser; its children follow when they lose it.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
