package child

import (
	"os/exec"
	"syscall"
)

// Tie makes a command that is not started yet a process group of its own, killed
// by the kernel should the test binary end without cleaning up.
func Tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// End kills a tied command and the processes it has started, and waits for it.
func End(cmd *exec.Cmd) {
	if cmd.Process == nil {
		return
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait() // says "killed", as it should
}
