// A kubelet as far as port-forward goes, of the parts that kubelets and container runtimes are made of: what comes as
// WebSocket tunnel is unpacked, the rest goes to the runtime's own server as it is. It forwards to ports of this machine,
// one direction at a time, and ends a forward one second after either side, as runtimes do.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/proxy"
	translator "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

type forwarder struct{}

func (forwarder) PortForward(ctx context.Context, name, uid string, port int32, stream io.ReadWriteCloser) error {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer stream.Close()
	defer conn.Close()
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(stream, conn)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(conn, stream)
		_ = conn.(*net.TCPConn).CloseWrite()
		ended <- err
	}()
	first := <-ended
	select {
	case <-ended:
	case <-time.After(time.Second):
	}
	return first
}

type responder struct{}

func (responder) Error(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

func main() {
	log.SetOutput(os.Stderr)
	runtime := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		options, err := portforward.NewV4Options(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		portforward.ServePortForward(w, r, forwarder{}, "pod", "uid", options, time.Minute, 30*time.Second, portforward.SupportedProtocols)
	}))
	location, err := url.Parse(runtime.URL)
	if err != nil {
		log.Fatal(err)
	}
	kubelet := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tunnel := wsstream.IsWebSocketRequestWithTunnelingProtocol(r)
		fmt.Printf("%s %s tunnel=%v\n", r.Method, strings.Split(r.URL.Path, "/")[1], tunnel)
		to := *location
		to.RawQuery = r.URL.RawQuery
		var handler http.Handler = proxy.NewUpgradeAwareHandler(&to, nil, false, true, responder{})
		if tunnel {
			handler = translator.NewTunnelingHandler(handler)
		}
		handler.ServeHTTP(w, r)
	})
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("port %d\n", listener.Addr().(*net.TCPAddr).Port)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	log.Fatal(http.Serve(listener, kubelet))
}
