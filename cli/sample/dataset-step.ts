import type { Report } from '../terminal/progress.js';
import type { ApiClient } from './api-client.js';
import { type Digit, zipDigits } from './digits.js';
import { waitFor } from './wait.js';

export const DATASET_ID = 'digits-sample';
const VALIDATE_MS = 10 * 60_000;

interface DatasetOut {
  readonly status: string;
  readonly validation_status: string;
  readonly validation?: { readonly errors?: ReadonlyArray<{ readonly message: string }> } | null;
}

const path = `/api/v1/datasets/${DATASET_ID}`;

/** Makes the dataset under its fixed id unless it is there. */
export async function ensureDataset(api: ApiClient): Promise<void> {
  if ((await api.find(path)) !== null) return;
  await api.post('/api/v1/datasets', {
    id: DATASET_ID,
    name: 'Handwritten digits',
    source: 'upload',
    format: 'images',
  });
}

/** Uploads what is not there yet; files with the same path and bytes are skipped by the platform itself. */
export async function uploadDigits(api: ApiClient, digits: readonly Digit[], report: Report): Promise<void> {
  const present = await api.get<{ total: number }>(`${path}/files?page=1&page_size=1`);
  if (present.total < digits.length) {
    const archive = await zipDigits(digits);
    report(0.1, `${(archive.length / 1e6).toFixed(1)} MB`);
    const result = await api.upload<{
      created: number;
      skipped: number;
      errors: ReadonlyArray<{ message?: string }>;
    }>(`${path}/archive`, 'digits.zip', archive);
    if (result.errors.length > 0)
      throw new Error(
        `${result.errors.length} of ${digits.length} files were refused, the first because: ${result.errors[0]?.message ?? 'no reason given'}`,
      );
  }
  report(1, `${digits.length} files`);
}

/** Waits until the platform has validated the files and frozen the dataset. */
export async function waitUntilFrozen(api: ApiClient, id: string, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/datasets/${id}`;
  let asked = false;
  await waitFor('freezing the dataset', VALIDATE_MS, signal, async () => {
    const dataset = await api.get<DatasetOut>(path);
    if (dataset.status === 'FROZEN') return true;
    if (dataset.status === 'FAILED')
      throw new Error(
        `The dataset is not valid: ${dataset.validation?.errors?.[0]?.message ?? 'no reason given'}`,
      );
    // An upload is validated a few seconds after its last file; asking does it now.
    if (dataset.status === 'DRAFT' && !asked) {
      asked = true;
      await api.post(`${path}/revalidate`);
    }
    return undefined;
  });
}
