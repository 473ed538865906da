import json
import logging
import time
from datetime import datetime, timezone
from unittest import mock

from visionops_device import agent as agent_module
from visionops_device import commands as commands_module
from visionops_device.agent import Agent
from visionops_device.client import Absent

from .agent_case import AgentCase, model


class CommandsCase(AgentCase):
    def test_goes_on_with_commands_after_one_that_broke_off_and_runs_no_containers(self):
        self.platform.models = {("digits", 1): model("one")}
        agent, _ = self.start()
        with mock.patch.object(agent.installer, "_fetch", side_effect=OSError("no space left on the disk")):
            self.platform.command("full", "deploy", {"model_name": "digits", "version": 1})
            self.wait(lambda: self.final_acks())
        self.platform.command("image", "deploy", {"model_name": "digits", "version": 1, "image": "digits:1"})
        self.wait(lambda: len(self.final_acks()) == 2)
        self.platform.command("good", "deploy", {"model_name": "digits", "version": 1})
        self.wait(lambda: len(self.final_acks()) == 3)
        self.assertEqual([body["status"] for _, body in self.final_acks()], ["failed", "failed", "succeeded"])
        self.assertIn("no space left", self.final_acks()[0][1]["result"]["message"])
        self.assertIn("containers", self.final_acks()[1][1]["result"]["message"])

    def test_renews_the_lease_over_a_step_that_says_nothing(self):
        sent = []
        report = commands_module.Progress(lambda body: sent.append(body["result"]["step"]), logging.getLogger("test"))
        with mock.patch.object(commands_module, "RENEW_S", 0.05), report.kept_alive():
            report("installing", 0.0)
            self.wait(lambda: len(sent) >= 3)
        self.assertEqual(set(sent), {"installing"})

    def test_acknowledges_after_a_restart_what_it_carried_out_before(self):
        done = {"c7": {"status": "succeeded", "result": {"version": 1}}}
        self.settings.folder.joinpath("commands.json").write_text(json.dumps(done))
        self.platform.command("c7", "deploy", {"model_name": "digits", "version": 1})
        self.start()
        self.wait(lambda: self.platform.acks)
        self.assertEqual(self.platform.acks[0], ("c7", done["c7"]))
        self.assertEqual(self.downloads(), [])

    def test_gives_a_command_up_on_which_the_device_died_twice(self):
        self.platform.models = {("digits", 1): model("one")}
        command = ("c7", "deploy", {"model_name": "digits", "version": 1})
        file = self.settings.folder / "commands.json"

        class Death(BaseException):
            """Ends the thread as a death of the device would: nothing more is written."""

        for times in (1, 2):
            agent = Agent(self.settings)
            with mock.patch.object(agent.installer, "install", side_effect=Death), self.assertRaises(Death):
                agent.commands._carry_out(agent.client(), agent.stop, {"id": command[0], "type": command[1], "args": command[2]}, time.monotonic())
            self.assertEqual(json.loads(file.read_text()), {"c7": times})
        self.platform.command(*command)
        agent, _ = self.start()
        self.wait(lambda: self.final_acks())
        self.assertEqual(self.final_acks(), [("c7", {"status": "failed", "result": {"message": "the device died 2 times on it"}})])
        self.assertEqual(self.downloads(), [])
        self.wait(lambda: json.loads(file.read_text()) == {})

    def test_says_what_is_installed_when_it_registers_and_again_after_a_last_word_that_was_refused(self):
        self.platform.models = {("digits", 1): model("one"), ("digits", 2): model("two")}
        agent, thread = self.start()
        self.wait(lambda: self.platform.registrations)
        self.assertEqual(self.platform.registrations[0]["models"], [])
        self.assertEqual(self.deploy("digits", 1)["status"], "succeeded")
        with mock.patch.object(commands_module.Progress, "_report"):
            self.platform.refusals = [(":ack", 409)]
            self.platform.command("late", "deploy", {"model_name": "digits", "version": 2})
            self.wait(lambda: len(self.platform.registrations) == 2)
        self.assertEqual(self.platform.registrations[1]["models"], [{"name": "digits", "version": 2}])
        # The next start finds the version damaged, and goes back to the one before.
        self.end(agent, thread)
        self.settings.folder.joinpath("models/digits/2/model.json").write_text(json.dumps({"broken": True}))
        self.start()
        self.wait(lambda: len(self.platform.registrations) == 3)
        self.assertEqual(self.platform.registrations[2]["models"], [{"name": "digits", "version": 1}])

    def test_counts_no_death_where_the_agent_was_ended(self):
        self.platform.models = {("digits", 1): model("one")}
        file = self.settings.folder / "commands.json"
        agent, thread = self.start()
        with mock.patch.object(agent.installer, "install", side_effect=Absent("away")):
            self.platform.command("c7", "deploy", {"model_name": "digits", "version": 1})
            self.wait(lambda: file.exists() and json.loads(file.read_text()) == {"c7": 1})
            self.end(agent, thread)
        self.assertEqual(json.loads(file.read_text()), {})

    def test_says_nothing_of_what_has_expired_by_the_clock_of_the_platform_alone(self):
        self.platform.ahead_s, self.platform.answers_ahead_s = 86_400.0 * 365, 86_400.0 * 366
        self.platform.models = {("digits", 1): model("one")}
        args = {"model_name": "digits", "version": 1}
        self.platform.command("late", "deploy", args, expires_in_s=-5.0)
        self.platform.command("good", "refresh_config")
        agent, _ = self.start()
        self.wait(self.final_acks)
        self.assertEqual([(command, body["status"]) for command, body in self.platform.acks], [("good", "succeeded")])
        self.assertIsNone(agent.installer.active)

    def test_knows_when_a_command_was_delivered_whose_answer_was_long_on_its_way(self):
        deliveries = commands_module.Deliveries()
        lease = lambda at: {"lease_until": datetime.fromtimestamp(at + commands_module.LEASE_S, timezone.utc).isoformat()}
        # The platform's clock is 1,000 s ahead of the process's; the second answer took 5 s more than the first.
        self.assertAlmostEqual(deliveries.moment_of(lease(1100), 100.0), 100.0)
        self.assertAlmostEqual(deliveries.moment_of(lease(1200), 205.0), 200.0)
        self.assertEqual(deliveries.moment_of({}, 300.0), 300.0)

    def test_says_nothing_of_what_is_delivered_again_by_now(self):
        agent = Agent(self.settings)
        self.platform.command("c", "refresh_config", expires_in_s=90.0)
        (command,) = self.platform.commands
        for age_s in (61, 59):
            agent.commands._carry_out(agent.client(), agent.stop, command, time.monotonic() - age_s)
        self.assertEqual([path for _, path in self.platform.requests if path.endswith(":ack")], ["/api/v1/edge/commands/c:ack"])

    def test_rests_where_another_machine_ends_its_polls(self):
        agent = Agent(self.settings)
        client = mock.Mock(json=mock.Mock(return_value={"items": []}))
        rests = []

        def note(stop, seconds, began_at):
            rests.append(began_at + seconds() - time.monotonic())
            stop.set()

        with mock.patch.object(commands_module, "rest", note):
            agent.commands.run(client, agent.stop)
        self.assertEqual(len(rests), 1)
        self.assertGreater(rests[0], 20)

    def test_keeps_what_it_has_to_say_while_its_token_is_refused(self):
        self.platform.models = {("digits", 1): model("one")}
        self.platform.refusals = [("/download", 401), (":ack", 401), (":ack", 403)]
        self.start()
        with mock.patch.object(commands_module.Progress, "_report"):
            self.platform.command("c", "deploy", {"model_name": "digits", "version": 1})
            self.wait(lambda: self.final_acks())
        self.assertEqual(self.platform.refusals, [])
        self.assertEqual([(command, body["status"]) for command, body in self.platform.acks], [("c", "succeeded")])

    def test_stops_an_installation_that_the_platform_does_not_wait_for_any_more(self):
        self.platform.models = {("digits", 1): model("one")}
        self.platform.refusals = [(":ack", 409)]
        agent, _ = self.start()
        self.assertIn("over for the platform", self.deploy("digits", 1)["result"]["message"])
        self.assertEqual(self.downloads(), [])
        self.assertIsNone(agent.installer.active)

    def test_restarts_after_the_acknowledgement_and_refuses_what_it_does_not_know(self):
        with mock.patch.object(agent_module, "restart_process") as restarted:
            _, thread = self.start()
            self.platform.command("odd", "dance")
            self.wait(lambda: self.final_acks())
            self.platform.command("again", "restart")
            thread.join(5)
        restarted.assert_called_once()
        self.assertEqual([(command, body["status"]) for command, body in self.final_acks()], [("odd", "failed"), ("again", "succeeded")])
