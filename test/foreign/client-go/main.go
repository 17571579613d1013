// Keeps client-go's typed informers over Protobuf on a cluster. Each line on standard input is answered by one line of
// JSON: the resourceVersions in the stores, by kind and key. Ends with the input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	must(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(os.Args[1]))
	stores := map[string]cache.SharedIndexInformer{
		"pods":        factory.Core().V1().Pods().Informer(),
		"configmaps":  factory.Core().V1().ConfigMaps().Informer(),
		"deployments": factory.Apps().V1().Deployments().Informer(),
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			must(fmt.Errorf("%v did not sync", kind))
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("synced")
	for lines.Scan() {
		answer := map[string]map[string]string{}
		for kind, informer := range stores {
			answer[kind] = map[string]string{}
			for _, item := range informer.GetStore().List() {
				object := item.(metav1.Object)
				answer[kind][object.GetNamespace()+"/"+object.GetName()] = object.GetResourceVersion()
			}
		}
		text, err := json.Marshal(answer)
		must(err)
		fmt.Println(string(text))
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
