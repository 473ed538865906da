import { queryOptions } from '@tanstack/react-query';
import { body, type Schemas } from '../../api/client';
import type { Tenant } from '../../app/session';
import type { DatasetDetail } from '../queries';
import { reportOf } from '../report/findings';

export type StoredImage = Schemas['AnnotatedImageOut'];

/** The validation whose objects are stored; null: files came or went since. */
export const passOf = ({ validation }: DatasetDetail): string | null => reportOf(validation).checkedAt;

/** What belongs to a validation stays as it is. */
export const staleTimeOf = (dataset: DatasetDetail): number =>
  passOf(dataset) === null ? 5_000 : Number.POSITIVE_INFINITY;

/** The objects of some pictures as the validation stored them. @param ids at most 100 files */
export const storedQuery = (tenant: Tenant, dataset: DatasetDetail, ids: readonly string[]) =>
  queryOptions({
    queryKey: [tenant.code, 'datasets', dataset.id, 'annotations', passOf(dataset), ids],
    queryFn: ({ signal }) =>
      body(
        tenant.api.GET('/api/v1/datasets/{dataset_id}/annotations', {
          params: { path: { dataset_id: dataset.id }, query: { file_ids: ids.join() } },
          signal,
        }),
      ),
    staleTime: staleTimeOf(dataset),
  });
