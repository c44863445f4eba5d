import type { Model } from '@kubernetes-models/base';
import { stringify } from 'yaml';

const WRITTEN = '# Written by `npm run docs` from tools/kubernetes; change it there, or in an overlay.\n';

/** Returns objects as one file of YAML documents. */
export const toYaml = (objects: readonly Model<unknown>[]): string =>
  WRITTEN + objects.map(object => stringify(object.toJSON(), { lineWidth: 0 })).join('---\n');

/** Returns the kustomization of these files. */
export const kustomization = (files: readonly string[]): string =>
  WRITTEN +
  stringify({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...files],
    images: [{ name: 'billing', newName: 'registry.example.com/billing', newTag: '0.1.0' }],
  });
