import { z } from 'zod';
import { doc, int } from './setting.js';
import { parseWorkerRoles, WORKER_ROLES } from './worker-roles.js';

/** What workers do, and what their machines run. */
export const workerSettings = {
  SERVICE_ORCHESTRATOR: doc(z.enum(['process', 'kubernetes']).default('process'), {
    text: 'what runs training and serving; kubernetes is refused at boot: this version has no adapter for it',
  }),
  SERVICE_WORKER_ROLES: doc(
    z
      .string()
      .default(WORKER_ROLES.join(','))
      .transform((text, context) => {
        try {
          return parseWorkerRoles(text);
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message });
          return z.NEVER;
        }
      }),
    {
      text: 'what a worker does, parted by commas: workflows, control (short steps, dispatch, housekeeping), data (bytes of datasets and images), sync (external sources), host (runs trainings and served models on its machine)',
    },
  ),
  SERVICE_RUNTIMES: doc(
    z
      .string()
      .default('')
      .transform((text, context) => {
        const names = text
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '');
        const bad = names.find((name) => !/^[a-z0-9-]+$/.test(name));
        if (bad === undefined) return names;
        context.addIssue({ code: 'custom', message: `${JSON.stringify(bad)} is not the name of a runtime` });
        return z.NEVER;
      }),
    {
      text: 'runtimes that a host uses beside those that are always on, parted by commas: ultralytics, which is under AGPL-3.0 (read docker/runtimes/ultralytics/NOTICE before)',
    },
  ),
  SERVICE_WEIGHTS_DIR: doc(z.string().min(1).optional(), {
    text: 'folder of weights that trainings may begin with, `<framework>/<model>.safetensors` (.pth, .pt), each with its sha256 beside it in `<file>.sha256`; the same on every machine with an API or a worker of the role control; without it trainings begin from scratch, or with weights of an address',
  }),
  SERVICE_WORKLOAD_ADDRESS: doc(z.union([z.ipv4(), z.hostname()]).default('127.0.0.1'), {
    text: 'IPv4 address, or name, of this machine at which served models listen and other machines reach them; with several machines it must not be a loopback address',
  }),
  SERVICE_HOST_MEMORY_MB: doc(int(64, 67_108_864).optional(), {
    text: 'what the memory limits of the workloads of this host may add up to, in MiB; without it four times the memory of the machine, since hardly any uses all that it may',
  }),
  SERVICE_HOST_TRAININGS: doc(int(0, 10_000).default(0), {
    text: 'trainings that this host runs at once, others wait; 0 = no limit',
  }),
  SERVICE_HOST_GONE_S: doc(int(20, 2_592_000).default(600), {
    text: 'seconds of silence after which a host is taken for lost: its trainings fail, its endpoints start on other hosts',
  }),
  SERVICE_TRAINING_MEMORY_MB: doc(int(64, 4_194_304).default(4096), {
    text: 'memory one training may use, in MiB',
  }),
  SERVICE_TRAINING_TIMEOUT_S: doc(int(0, 31_536_000).default(86_400), {
    text: 'seconds one training may take; 0 = no limit',
  }),
  SERVICE_TRAINING_PATIENCE_S: doc(int(10, 86_400).default(3600), {
    text: 'seconds a training waits for the API and the object store while they do not answer, before it fails',
  }),
};
