import json

from visionops_device.client import Absent, Refused
from visionops_device.download import VersionDownload, has_all

from .agent_case import AgentCase, model

#: What a page to log in, a proxy or a load balancer answers in the platform's place.
FOREIGN = [(200, b"<html>Welcome</html>"), (200, b""), (200, b"[]"), (200, b'{"status": "ok"}'), (302, b""), (400, b"bad request"),
           (401, b"<html>log in</html>"), (403, b'{"message": "forbidden"}'), (404, b"<html>not here</html>"), (407, b"{}"), (409, b"[]")]


class ForeignAnswersCase(AgentCase):
    def test_keeps_records_while_somebody_else_answers_and_sends_them_afterwards(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.deploy("digits", 1)
        self.platform.portal = FOREIGN[0]
        agent.predict(b"p", "a.png")
        agent.inference.flush()
        waiting = agent.inference.waiting()
        for self.platform.portal in FOREIGN:
            with self.assertRaises(Absent, msg=self.platform.portal):
                agent.inference._send_one(agent.client(), agent.stop, waiting[0])
        self.assertEqual(agent.inference.held(), waiting)
        self.assertFalse(agent.watch.is_refused)
        self.platform.portal = None
        self.wait(lambda: self.sent_predictions() == ["p"] and not agent.inference.held())

    def test_tells_a_refusal_of_the_platform_from_the_answer_of_somebody_else(self):
        agent, _ = self.start()
        self.wait(lambda: self.platform.registrations)
        for self.platform.portal in FOREIGN[4:]:
            with self.assertRaises(Absent):
                agent.client().json("GET", "/api/v1/edge/config")
        self.platform.portal = 404, b'{"error_id": "e-1", "code": "not_found", "message": "no", "detail": null}'
        with self.assertRaises(Refused):
            agent.client().json("GET", "/api/v1/edge/config")
        self.platform.portal = None

    def test_waits_with_a_download_while_somebody_else_answers(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        self.wait(lambda: self.platform.registrations)
        download = VersionDownload(agent.client(), "digits", 1, self.settings.folder / "work")
        listed = download.list(None)
        self.platform.portal = 200, b"<html>Welcome</html>" * 100_000
        with self.assertRaises(Absent):
            download.fetch(listed, lambda *_: None)
        self.platform.portal = None
        self.assertTrue(has_all(download.fetch(listed, lambda *_: None), listed))

    def test_keeps_the_end_of_a_command_until_the_platform_has_taken_it(self):
        file = self.settings.folder / "commands.json"
        done = {"c7": {"status": "succeeded", "result": {"version": 1}}}
        file.write_text(json.dumps(done))
        agent, _ = self.start()
        client = agent.client()
        for self.platform.portal in (FOREIGN[0], FOREIGN[8]):
            with self.assertRaises(Absent):
                agent.commands._ack(client, "c7", done["c7"])
        self.platform.portal = None
        self.wait(lambda: self.final_acks() and json.loads(file.read_text()) == {})
        self.assertEqual(self.final_acks(), [("c7", done["c7"])])
