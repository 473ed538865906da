interface Predicted {
  readonly prediction_id: string | null;
  readonly upload_id: string | null;
  readonly result: Readonly<Record<string, unknown>>;
}
interface Sent {
  readonly upload_id: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** What a model saw: a class, or so many objects; null: the result has another form. */
export type Seen = { readonly label: string } | { readonly objects: number } | null;

export function seenIn({ result }: Pick<Predicted, 'result'>): Seen {
  if (typeof result.label === 'string' && result.label !== '') return { label: result.label };
  const list = result.detections ?? result.objects ?? result.instances;
  return Array.isArray(list) ? { objects: list.length } : null;
}

/** Finds the picture of a prediction among files that the device sent: by its id, or by the prediction that the file names. */
export function pictureFinder<T extends Sent>(
  transfers: readonly T[],
): (prediction: Pick<Predicted, 'prediction_id' | 'upload_id'>) => T | null {
  const byUpload = new Map(transfers.map((each) => [each.upload_id, each]));
  const byPrediction = new Map(
    transfers.flatMap((each) =>
      typeof each.meta.prediction_id === 'string' ? [[each.meta.prediction_id, each] as const] : [],
    ),
  );
  return ({ prediction_id: prediction, upload_id: upload }) =>
    (upload !== null ? byUpload.get(upload) : undefined) ??
    (prediction !== null ? byPrediction.get(prediction) : undefined) ??
    null;
}
