import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import {
  type DeploymentRef,
  deploymentLook,
  deploymentWorkflowId,
} from '../../../../models/deployments/follow-up/deployment-work.types.js';
import { dispatch } from '../../../../models/outbox/dispatch.js';
import { EdgeKit, type PlayedDevice } from '../../edge/support/edge-kit.js';
import { registerDigits, until } from '../../serving/digit-model.js';
import type { Answer, CallOptions, TestApi, TestTenant } from '../../support/test-api.js';

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the server sent; the test says what it expects
type Body = any;

/** Deployments of one tenant, and devices that run them as a test asks. */
export class DeploymentKit {
  readonly edge: EdgeKit;

  constructor(
    readonly api: TestApi,
    readonly tenant: TestTenant,
  ) {
    this.edge = new EdgeKit(api, tenant);
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return this.api.call(method, `/api/v1${path}`, {
      ...{ token: this.api.admin.token, tenant: this.tenant.code },
      ...options,
    });
  }

  /** A model with so many versions, of one file each. */
  async model(versions: number): Promise<string> {
    const name = `model-${randomUUID().slice(0, 8)}`;
    const { settings, db } = this.api.container;
    for (let at = 1; at <= versions; at += 1)
      await registerDigits(
        settings,
        db,
        this.tenant.id,
        name,
        new Map([['model.onnx', Buffer.from(`${name} ${at}`)]]),
      );
    return name;
  }

  /** Registered devices at a location of their own. */
  async devices(count: number): Promise<{ readonly location: string; readonly all: PlayedDevice[] }> {
    const location = `hall-${randomUUID().slice(0, 8)}`;
    const all: PlayedDevice[] = [];
    for (let at = 0; at < count; at += 1) all.push(await this.edge.device({ location, os: 'linux' }));
    return { location, all };
  }

  create(json: Readonly<Record<string, unknown>>, token = this.api.admin.token): Promise<Answer> {
    return this.call('POST', '/deployments', { json, token });
  }

  /** @throws Error with the answer, where it is not created */
  async start(json: Readonly<Record<string, unknown>>): Promise<Body> {
    const answer = await this.create(json);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  }

  async read(id: string): Promise<Body> {
    return (await this.call('GET', `/deployments/${id}`)).body;
  }

  /** The deployment once this holds. */
  when(id: string, what: string, holds: (deployment: Body) => boolean): Promise<Body> {
    let last = '';
    return until(
      `deployment ${what}`,
      async () => {
        const body = await this.read(id);
        last = JSON.stringify(body);
        return holds(body) && body;
      },
      40_000,
      () => last,
    );
  }

  reach(id: string, status: string): Promise<Body> {
    return this.when(id, status, (deployment) => deployment.status === status);
  }

  control(id: string, what: string, token = this.api.admin.token): Promise<Answer> {
    return this.call('POST', `/deployments/${id}/${what}`, { token });
  }

  /** The command that carries a deployment to the device, as its poll gets it. */
  async fetchCommand(device: PlayedDevice, waitS = 20): Promise<Body> {
    const { body } = await device.call('GET', `/commands?wait=${waitS}`);
    return body.items.find(({ type }: { type: string }) => type === 'deploy') ?? null;
  }

  ack(device: PlayedDevice, command: Body, status: string, result: object = {}): Promise<Answer> {
    return device.call('POST', `/commands/${command.id}:ack`, { json: { status, result } });
  }

  /** The device fetches it and says how it went. */
  async carryOut(device: PlayedDevice, status = 'succeeded', result: object = {}): Promise<Body> {
    const command = await this.fetchCommand(device);
    if (!command) throw new Error(`${device.id} got no command`);
    const answer = await this.ack(device, command, status, result);
    if (answer.status !== 200) throw new Error(answer.text);
    return command;
  }

  /** As if the devices that have it had got it two minutes before, and the last look at its conditions lay as far back. */
  async installedEarlier(id: string): Promise<void> {
    await this.edge.run(
      `update deployment_device set finished_at = finished_at - interval '2 minutes'
       where deployment_id = $1 and step = 'succeeded'`,
      [id],
    );
    await this.edge.run(
      `update deployment set measured_at = measured_at - interval '2 minutes',
         measure_tried_at = measure_tried_at - interval '2 minutes' where id = $1`,
      [id],
    );
    await this.look(id);
  }

  /** As if the leases of its commands had run out without a word. */
  async afterLeases(id: string): Promise<void> {
    await this.edge.run(
      `update edge_command set lease_until = lease_until - interval '61 s', expires_at = expires_at - interval '61 s'
       where args ->> 'deployment_id' = $1 and lease_until is not null`,
      [id],
    );
    await this.look(id);
  }

  /** States of the commands that its devices were given, in turn. */
  async commandStates(id: string): Promise<string[]> {
    const rows = await this.edge.rows<{ state: string }>(
      "select state from edge_command where args ->> 'deployment_id' = $1 order by created_at",
      [id],
    );
    return rows.map(({ state }) => state);
  }

  /** Calls the work. */
  async look(id: string): Promise<void> {
    const ref = await this.refOf(id);
    await this.api.container.db.inPlatform((tx) => dispatch(tx, deploymentLook(ref)));
  }

  /** Does something to the workflow that follows it. */
  async withWorkflow(id: string, act: (handle: WorkflowHandle) => Promise<unknown>): Promise<void> {
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = this.api.container.settings;
    const connection = await Connection.connect({ address });
    const { workflow } = new Client({ connection, namespace });
    await act(workflow.getHandle(deploymentWorkflowId(await this.refOf(id))));
    await connection.close();
  }

  private async refOf(id: string): Promise<DeploymentRef> {
    const rows = await this.edge.rows<{ attempt: number }>('select attempt from deployment where id = $1', [
      id,
    ]);
    return { tenantId: this.tenant.id, deploymentId: id, attempt: rows[0]?.attempt ?? 0 };
  }

  /** Until the work has followed what called it. */
  async hasLooked(id: string): Promise<void> {
    const calls = () =>
      this.edge.rows<{ called: boolean }>('select is_called as called from deployment where id = $1', [id]);
    await until('look', async () => (await calls())[0]?.called === false);
  }

  async stepsOf(id: string): Promise<Record<string, string>> {
    const { body } = await this.call('GET', `/deployments/${id}/devices?page_size=200`);
    return Object.fromEntries(body.items.map((device: Body) => [device.device_id, device.step]));
  }
}
