package browser

import "syscall"

// tied makes the browser a process group of its own, killed by the kernel
// should the test binary end without cleaning up (panic, timeout, kill -9).
func tied() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup ends the browser and the processes it started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
