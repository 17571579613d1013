// Package upstream names what the programs of this folder are built from: upstream's end-to-end specs and its kube-controller-manager.
package upstream

import _ "k8s.io/kubernetes/test/e2e"
