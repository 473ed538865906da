import { defineEntity, p } from '@mikro-orm/core';

export const FeedbackSchema = defineEntity({
  name: 'Feedback',
  tableName: 'feedback',
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    tenantId: p.uuid(),
    modelName: p.text(),
    /** The prediction it is about; null: about none in particular. */
    predictionId: p.text().nullable(),
    /**
     * The truth: `label` is compared with that of the prediction; where a result has no single label, `correct` (true or
     * false) says it outright.
     */
    label: p.json<Readonly<Record<string, unknown>>>(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** What somebody knows of the truth behind a prediction. */
export class Feedback extends FeedbackSchema.class {}
FeedbackSchema.setClass(Feedback);
