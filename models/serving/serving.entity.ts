import { defineEntity, p } from '@mikro-orm/core';
import type { EndpointStatus, EndpointValidation, EndpointWish } from './serving.types.js';

export const ServingEndpointSchema = defineEntity({
  name: 'ServingEndpoint',
  tableName: 'serving_endpoint',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    name: p.text(),
    imageId: p.uuid(),
    /** Wanted while it runs; kept while it is stopped. */
    replicas: p.integer(),
    readyReplicas: p.integer().default(0),
    /** Slots of each instance; 0 serves on the CPU. */
    gpu: p.integer().default(0),
    status: p.text().$type<EndpointStatus>().default('CREATING'),
    statusMessage: p.text().nullable(),
    wish: p.text().$type<EndpointWish>().default('run'),
    revision: p.integer().default(1),
    attempt: p.integer().default(1),
    workloadId: p.text(),
    sealedCredential: p.text().hidden(),
    instances: p.json<readonly string[]>().defaultRaw(`'[]'`),
    validationDatasetId: p.text().nullable(),
    validation: p.json<EndpointValidation>().nullable(),
    lastHeartbeatAt: p.datetime().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** An inference server that people named. */
export class ServingEndpoint extends ServingEndpointSchema.class {}
ServingEndpointSchema.setClass(ServingEndpoint);
