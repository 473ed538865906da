import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { type DatasetDetail, type DatasetFile, listFiles } from '../queries';
import { findingsOf } from '../report/findings';
import type { Images } from './use-images';

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
      const found = await Promise.all(
        paths.map((path) => listFiles(tenant, dataset.id, { q: path, kind: 'image', page_size: 20 }, signal)),
      );
      return found.flatMap(({ items }, at) => items.filter((item) => item.path === paths[at]));
    },
    enabled: paths.length > 0,
  });
  const files: readonly DatasetFile[] = query.data ?? [];
  return {
    named: files.length,
    all: finding?.count ?? 0,
    images: {
      count: files.length,
      isExact: true,
      at: (index) => files[index],
      need: () => {},
      isLoading: paths.length > 0 && query.isPending,
      error: query.error,
      retry: () => void query.refetch(),
    },
  };
}
