//go:build !linux

package child

import "os/exec"

// Tie has nothing to add here: browsers end when their command pipe closes,
// which happens however the test binary ends.
func Tie(*exec.Cmd) {}

// End kills a command and waits for it; its children follow when they lose it.
func End(cmd *exec.Cmd) {
	if cmd.Process == nil {
		return
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
