package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"coinslot/bff/fortest"
)

// A server that listens on all addresses of the machine is asked on this machine.
func TestHealthOfEveryAddress(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Listener = fortest.Must(net.Listen("tcp", ":0"))(t)
	server.Start()
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	fortest.OK(t, err)
	for _, host := range []string{"", "0.0.0.0", "[::]", "127.0.0.1", "localhost"} {
		code, out, errs := invoke([]string{"COINSLOT_OPS_LISTEN=" + host + ":" + port}, "health")
		fortest.Equal(t, code, 0, "health of %s:%s says %s%s", host, port, out, errs)
	}
}
