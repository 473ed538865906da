import { Box, Group, Slider, Stack, Table, Text } from '@mantine/core';
import { text } from '../../text';
import { colourOf } from '../../shared/class-colours';
import type { Prediction, Score, Shape } from './prediction';

const words = text.serving.try;
const SCORES_SHOWN = 10;

/** The class that a model sees, with the scores of the others, and whether its dataset says the same. */
export function Scores({
  prediction,
  truth,
}: {
  prediction: Extract<Prediction, { kind: 'scores' }>;
  truth: string | null;
}) {
  const { best, scores } = prediction;
  return (
    <Stack gap="sm">
      <Group gap="sm" align="baseline">
        <Text fz={36} fw={650} lh={1} style={{ overflowWrap: 'anywhere' }}>
          {best.label}
        </Text>
        <Text size="lg">{percent(best.score)}</Text>
      </Group>
      {truth !== null && (
        <Text size="sm">
          {words.truth}: <b>{truth}</b>,{' '}
          <Text span size="sm" c={truth === best.label ? 'var(--state-succeeded)' : 'var(--state-failed)'}>
            {truth === best.label ? words.agrees : words.differs}
          </Text>
        </Text>
      )}
      <Table aria-label={words.scores} verticalSpacing={3} withRowBorders={false}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.class}</Table.Th>
            <Table.Th colSpan={2}>{words.score}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {scores.slice(0, SCORES_SHOWN).map((score) => (
            <ScoreRow key={score.label} score={score} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function ScoreRow({ score: { label, score } }: { score: Score }) {
  return (
    <Table.Tr>
      <Table.Td>{label}</Table.Td>
      <Table.Td w="60%">
        <Box
          h={8}
          w={`${Math.min(1, Math.max(0, score)) * 100}%`}
          miw={1}
          style={{ background: 'var(--state-running)', borderRadius: 2 }}
          aria-hidden
        />
      </Table.Td>
      <Table.Td ta="right">{percent(score)}</Table.Td>
    </Table.Tr>
  );
}

interface ObjectsProps {
  readonly all: readonly Shape[];
  readonly shown: readonly Shape[];
  /** In the order of their colours. */
  readonly classes: readonly string[];
  readonly least: number;
  readonly onLeast: (least: number) => void;
  /** Key of the object that is pointed at. */
  readonly pointed: number | null;
  readonly onPoint: (key: number | null) => void;
}

/** The objects that a model found, which are drawn over the picture. */
export function Objects({ all, shown, classes, least, onLeast, pointed, onPoint }: ObjectsProps) {
  const hidden = all.length - shown.length;
  return (
    <Stack gap="sm">
      <Text fw={600}>
        {words.objects(shown.length)}
        {hidden > 0 && `, ${words.hiddenObjects(hidden)}`}
      </Text>
      {all.length > 0 && (
        <div>
          <Text size="sm">
            {words.leastScore} {least.toFixed(2)}
          </Text>
          <Slider
            aria-label={words.leastScore}
            thumbLabel={words.leastScore}
            min={0}
            max={1}
            step={0.01}
            label={null}
            value={least}
            onChange={onLeast}
          />
        </div>
      )}
      {shown.length > 0 && (
        <Table.ScrollContainer minWidth={260} mah={320}>
          <Table aria-label={words.objects(shown.length)} verticalSpacing={3} highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{words.object}</Table.Th>
                <Table.Th ta="right">{words.score}</Table.Th>
                <Table.Th>{words.box}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map(({ key, label, score, box }) => (
                <Table.Tr
                  key={key}
                  bg={pointed === key ? 'var(--ground-quiet)' : undefined}
                  onMouseEnter={() => onPoint(key)}
                  onMouseLeave={() => onPoint(null)}
                >
                  <Table.Td>
                    <Dot colour={colourOf(label, classes)} />
                    {label}
                  </Table.Td>
                  <Table.Td ta="right">{score.toFixed(2)}</Table.Td>
                  <Table.Td className="mono">
                    {[box.x, box.y, box.width, box.height].map(Math.round).join(', ')}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}

/** Colour in which an object is drawn. */
function Dot({ colour }: { colour: string }) {
  return (
    <Box
      component="span"
      aria-hidden
      style={{
        display: 'inline-block',
        width: 10,
        height: 10,
        marginRight: 6,
        borderRadius: 5,
        background: colour,
        border: '1px solid var(--line)',
      }}
    />
  );
}

const percent = (score: number): string => (Number.isFinite(score) ? `${(score * 100).toFixed(1)} %` : '–');
