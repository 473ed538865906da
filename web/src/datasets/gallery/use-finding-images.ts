import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { groupOf } from '../annotations/groups';
import { type DatasetDetail, type DatasetFile, imageAt } from '../queries';
import { findingsOf } from '../report/findings';
import type { Images } from './use-images';

const NONE: readonly DatasetFile[] = [];

/** Pictures that the report names as examples of a finding. */
export function useFindingImages(
  dataset: DatasetDetail,
  id: string | null,
): { images: Images; named: number; all: number } {
  const tenant = useTenant();
  const finding = id === null ? undefined : findingsOf(dataset.validation).find((one) => one.id === id);
  const paths = [...new Set(finding?.examples.flatMap((example) => example.paths) ?? [])];
  const query = useQuery({
    queryKey: [tenant.code, 'datasets', dataset.id, 'finding', id, paths],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(paths.map((path) => imageAt(tenant, dataset.id, path, signal)));
      return found.filter((file) => file !== null);
    },
    enabled: paths.length > 0,
  });
  const files: readonly DatasetFile[] = query.data ?? NONE;
  return {
    named: files.length,
    all: finding?.count ?? 0,
    images: {
      count: files.length,
      isExact: true,
      at: (index) => files[index],
      group: (index) => groupOf(files, index),
      need: () => {},
      isLoading: paths.length > 0 && query.isPending,
      error: query.error,
      retry: () => void query.refetch(),
    },
  };
}
