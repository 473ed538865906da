import { Box, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { text } from '../../text';
import type { Drawing } from '../annotations/drawn.types';
import { colourOf } from '../../shared/class-colours';

const words = text.datasets.viewer;
const MOST = 300;

interface ObjectListProps {
  readonly drawing: Drawing | null;
  readonly isAsked: boolean;
  readonly isLoading: boolean;
  readonly isFailed: boolean;
  readonly classes: readonly string[];
  readonly chosen: number | null;
  /** What the pointer is over, in the picture or here. */
  readonly pointed: number | null;
  readonly onPointed: (at: number | null) => void;
  readonly onChosen: (at: number | null) => void;
}

/** The objects of a picture as words; one that is pointed at or chosen stands out in the picture. */
export function ObjectList(props: ObjectListProps) {
  const { drawing, chosen, onChosen, pointed, onPointed, classes, ...state } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (list.current !== null && pointed !== null) showRow(list.current, pointed);
  }, [pointed]);
  if (!state.isAsked && !state.isLoading) return null;
  if (drawing === null || drawing.objects.length === 0) {
    if (state.isLoading) return <Text size="sm">{text.datasets.gallery.loadingIndex}</Text>;
    return (
      <Text size="sm" c="dimmed">
        {state.isFailed ? words.unknownObjects : words.noObjects}
      </Text>
    );
  }
  const { objects, total, isWhole } = drawing;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {text.datasets.objects(total)}
      </Text>
      {!isWhole && !state.isLoading && (
        <Text size="xs" c="dimmed">
          {words.boxesOnly}
        </Text>
      )}
      <Box
        ref={list}
        mah={240}
        style={{ overflowY: 'auto', position: 'relative' }}
        tabIndex={0}
        role="group"
        aria-label={words.objects}
        onMouseLeave={() => onPointed(null)}
      >
        {objects.slice(0, MOST).map((object, at) => (
          <UnstyledButton
            // biome-ignore lint/suspicious/noArrayIndexKey: objects have no other name and keep their order
            key={at}
            w="100%"
            px={6}
            py={4}
            aria-pressed={chosen === at}
            data-pointed={pointed === at || undefined}
            bg={chosen === at || pointed === at ? 'var(--ground-quiet)' : undefined}
            onMouseEnter={() => onPointed(at)}
            onClick={() => onChosen(chosen === at ? null : at)}
          >
            <Group gap="sm" wrap="nowrap">
              <Box
                w={12}
                h={12}
                aria-hidden
                style={{
                  flexShrink: 0,
                  borderRadius: 3,
                  background: colourOf(object.label, classes),
                  border: '1px solid var(--mantine-color-dimmed)',
                }}
              />
              <Text size="sm" truncate>
                {object.label ?? words.unnamed}
              </Text>
              <Text size="xs" c="dimmed" ml="auto" style={{ whiteSpace: 'nowrap' }}>
                {factsOf(object)}
              </Text>
            </Group>
          </UnstyledButton>
        ))}
      </Box>
    </Stack>
  );
}

/** Scrolls the list alone: the picture below the pointer stays where it is. */
function showRow(list: HTMLElement, at: number): void {
  const row = list.children[at];
  if (!(row instanceof HTMLElement)) return;
  const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}

function factsOf({ box, points, isCrowd }: Drawing['objects'][number]): string {
  const parts = [`${Math.round(box[2] - box[0])} × ${Math.round(box[3] - box[1])}`];
  if (points.length > 0) parts.push(words.points(points.filter((point) => point !== null).length));
  if (isCrowd) parts.push(words.crowd);
  return parts.join(', ');
}
