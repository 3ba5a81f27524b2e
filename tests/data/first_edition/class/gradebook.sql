BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
INSERT INTO "alembic_version" VALUES('e43177bfe90b');
CREATE TABLE assignment (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	duedate DATETIME, 
	course_id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	FOREIGN KEY(course_id) REFERENCES course (id)
);
INSERT INTO "assignment" VALUES('2c6dcb47d9644d6ca2c2e9245678546c','01_game',NULL,'');
CREATE TABLE base_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	notebook_id VARCHAR(32) NOT NULL, 
	type VARCHAR(50), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id, type), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "base_cell" VALUES('44ac75698a514ba4978a4c45e0886449','prediction_check','38f05396cf3241f7928992cea5c28160','GradeCell');
INSERT INTO "base_cell" VALUES('bb33fbb65a5e448ca70190f332f3a926','winner_check','38f05396cf3241f7928992cea5c28160','GradeCell');
INSERT INTO "base_cell" VALUES('80ab540f316b4a51ba66dd31ebad1558','class_size_check','38f05396cf3241f7928992cea5c28160','GradeCell');
INSERT INTO "base_cell" VALUES('e8c870b65ebd4928a7af872eecc78541','count_games_check','38f05396cf3241f7928992cea5c28160','GradeCell');
INSERT INTO "base_cell" VALUES('c85c0ed287764464b1aa2cd720fea004','can_occur_check','38f05396cf3241f7928992cea5c28160','GradeCell');
INSERT INTO "base_cell" VALUES('8d9ac9751bf44c60bc9c33ed29b3aa6a','essay','38f05396cf3241f7928992cea5c28160','GradeCell');
INSERT INTO "base_cell" VALUES('25a1e4dd88394cca8839ec399d9e3154','prediction','38f05396cf3241f7928992cea5c28160','SolutionCell');
INSERT INTO "base_cell" VALUES('9cf33d3ec05c4bfda938e175c4f8fd1d','winner','38f05396cf3241f7928992cea5c28160','SolutionCell');
INSERT INTO "base_cell" VALUES('ed76993f73ef47bd9d91c38db8265508','class_size','38f05396cf3241f7928992cea5c28160','SolutionCell');
INSERT INTO "base_cell" VALUES('905d947b78e24cb5863e0b6d46998702','count_games','38f05396cf3241f7928992cea5c28160','SolutionCell');
INSERT INTO "base_cell" VALUES('5f68f1ce40ac4d679d0455e1e8a02bbc','can_occur','38f05396cf3241f7928992cea5c28160','SolutionCell');
INSERT INTO "base_cell" VALUES('16b82ba6d8354c3cbed5f1c2d432f6a9','essay','38f05396cf3241f7928992cea5c28160','SolutionCell');
CREATE TABLE comment (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_comment TEXT, 
	manual_comment TEXT, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "comment" VALUES('78036899ec544a7986d94f7fe2b44845','808a31860b174ffaaacb84b7c3223cd3','25a1e4dd88394cca8839ec399d9e3154',NULL,NULL);
INSERT INTO "comment" VALUES('c89817e8c8bb467eb91259f58176e032','808a31860b174ffaaacb84b7c3223cd3','9cf33d3ec05c4bfda938e175c4f8fd1d',NULL,NULL);
INSERT INTO "comment" VALUES('52273312a3f94cf99ede6b3cbb50b22d','808a31860b174ffaaacb84b7c3223cd3','ed76993f73ef47bd9d91c38db8265508',NULL,NULL);
INSERT INTO "comment" VALUES('5f6a7782f14147739f86da728444d994','808a31860b174ffaaacb84b7c3223cd3','905d947b78e24cb5863e0b6d46998702',NULL,NULL);
INSERT INTO "comment" VALUES('b112c4f3fd7a4297bab0e397049e7da5','808a31860b174ffaaacb84b7c3223cd3','5f68f1ce40ac4d679d0455e1e8a02bbc',NULL,NULL);
INSERT INTO "comment" VALUES('7267b33cec104a1b9b352d01d1cfd9f1','808a31860b174ffaaacb84b7c3223cd3','16b82ba6d8354c3cbed5f1c2d432f6a9',NULL,'Well said.');
INSERT INTO "comment" VALUES('00349e3abc674bf6bfbb858e6731b340','2ac589ce9899456294820f706a91def4','25a1e4dd88394cca8839ec399d9e3154',NULL,NULL);
INSERT INTO "comment" VALUES('33f70143fae948d4aef4fcef0a0cef33','2ac589ce9899456294820f706a91def4','9cf33d3ec05c4bfda938e175c4f8fd1d',NULL,NULL);
INSERT INTO "comment" VALUES('584b836bdf3743bc9d370191d0188292','2ac589ce9899456294820f706a91def4','ed76993f73ef47bd9d91c38db8265508',NULL,NULL);
INSERT INTO "comment" VALUES('9e9846f57c844c79b54212e2c9719848','2ac589ce9899456294820f706a91def4','905d947b78e24cb5863e0b6d46998702',NULL,NULL);
INSERT INTO "comment" VALUES('7b1b3c383fa5459c8321db7461cf678f','2ac589ce9899456294820f706a91def4','5f68f1ce40ac4d679d0455e1e8a02bbc',NULL,NULL);
INSERT INTO "comment" VALUES('f6ecaa7ae1524ab3ad6454ca9c3f5007','2ac589ce9899456294820f706a91def4','16b82ba6d8354c3cbed5f1c2d432f6a9',NULL,NULL);
CREATE TABLE course (
	id VARCHAR(128) NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (id)
);
INSERT INTO "course" VALUES('default_course');
CREATE TABLE grade (
	id VARCHAR(32) NOT NULL, 
	notebook_id VARCHAR(32), 
	cell_id VARCHAR(32), 
	auto_score FLOAT, 
	manual_score FLOAT, 
	extra_credit FLOAT, 
	needs_manual_grade BOOLEAN NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (cell_id, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES submitted_notebook (id), 
	FOREIGN KEY(cell_id) REFERENCES base_cell (id)
);
INSERT INTO "grade" VALUES('40b2b1ce7532421db64e68e61e85218d','808a31860b174ffaaacb84b7c3223cd3','44ac75698a514ba4978a4c45e0886449',2.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('5b851013fafc4cac9cf4d6cae762c7f0','808a31860b174ffaaacb84b7c3223cd3','bb33fbb65a5e448ca70190f332f3a926',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('2dce11c5c1074f0a9c9371f15a9ad18f','808a31860b174ffaaacb84b7c3223cd3','80ab540f316b4a51ba66dd31ebad1558',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('2bfb489386fe4b13920cf9b19c3dfd45','808a31860b174ffaaacb84b7c3223cd3','e8c870b65ebd4928a7af872eecc78541',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('f8235b811f0d4582bdf570a320b8ef0a','808a31860b174ffaaacb84b7c3223cd3','c85c0ed287764464b1aa2cd720fea004',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('55039c3155d0426aa09f439bfdf25fcc','808a31860b174ffaaacb84b7c3223cd3','8d9ac9751bf44c60bc9c33ed29b3aa6a',NULL,3.0,NULL,0);
INSERT INTO "grade" VALUES('9d24a170c7de46e9a06919c9bb9c903a','2ac589ce9899456294820f706a91def4','44ac75698a514ba4978a4c45e0886449',2.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('a3d3d34f10144f2c9133d263c9f75d4a','2ac589ce9899456294820f706a91def4','bb33fbb65a5e448ca70190f332f3a926',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('f98ce5d21b1e4e68993c525043564645','2ac589ce9899456294820f706a91def4','80ab540f316b4a51ba66dd31ebad1558',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('79c1c822e13248afb3ff7175c0a1dcbc','2ac589ce9899456294820f706a91def4','e8c870b65ebd4928a7af872eecc78541',0.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('9fa8a7316a4d435b9eb84c9c47136516','2ac589ce9899456294820f706a91def4','c85c0ed287764464b1aa2cd720fea004',4.0,NULL,NULL,0);
INSERT INTO "grade" VALUES('92258ec27721456f9983b5bf587f1eaa','2ac589ce9899456294820f706a91def4','8d9ac9751bf44c60bc9c33ed29b3aa6a',0.0,NULL,NULL,0);
CREATE TABLE grade_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "grade_cells" VALUES('44ac75698a514ba4978a4c45e0886449',2.0,'code');
INSERT INTO "grade_cells" VALUES('bb33fbb65a5e448ca70190f332f3a926',4.0,'code');
INSERT INTO "grade_cells" VALUES('80ab540f316b4a51ba66dd31ebad1558',4.0,'code');
INSERT INTO "grade_cells" VALUES('e8c870b65ebd4928a7af872eecc78541',4.0,'code');
INSERT INTO "grade_cells" VALUES('c85c0ed287764464b1aa2cd720fea004',4.0,'code');
INSERT INTO "grade_cells" VALUES('8d9ac9751bf44c60bc9c33ed29b3aa6a',4.0,'markdown');
CREATE TABLE notebook (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	assignment_id VARCHAR(32), 
	kernelspec VARCHAR(1024), 
	PRIMARY KEY (id), 
	UNIQUE (name, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "notebook" VALUES('38f05396cf3241f7928992cea5c28160','01_game','2c6dcb47d9644d6ca2c2e9245678546c','{"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}');
CREATE TABLE solution_cells (
	id VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
INSERT INTO "solution_cells" VALUES('25a1e4dd88394cca8839ec399d9e3154');
INSERT INTO "solution_cells" VALUES('9cf33d3ec05c4bfda938e175c4f8fd1d');
INSERT INTO "solution_cells" VALUES('ed76993f73ef47bd9d91c38db8265508');
INSERT INTO "solution_cells" VALUES('905d947b78e24cb5863e0b6d46998702');
INSERT INTO "solution_cells" VALUES('5f68f1ce40ac4d679d0455e1e8a02bbc');
INSERT INTO "solution_cells" VALUES('16b82ba6d8354c3cbed5f1c2d432f6a9');
CREATE TABLE source_cell (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	locked BOOLEAN NOT NULL, 
	source TEXT, 
	checksum VARCHAR(128), 
	notebook_id VARCHAR(32), 
	PRIMARY KEY (id), 
	UNIQUE (name, notebook_id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "source_cell" VALUES('27672bbacbf24935a363021c0344e567','setup','code',1,'import numpy as np

from ttt_lib import check','f01e812a70d434e69bfa988b66d1c8b9','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('cada7862ff114b68985122512825a57c','prediction','code',0,'prediction = None
...  # your code here','d98974854487e3f1a792b91e8c49cfb9','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('52f6faba7db24c978f624729bdfad0e5','prediction_check','code',1,'check.guess(prediction)','0acacd96ee6212b4ae7d27f9463f5f36','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('c0b66b4648ba4639acc6dd076e3976a0','winner','code',0,'def winner(board):
    ...  # your code here','a2e1dc6ea259ca3b5919db97562f39ca','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('7970254e09be48b49b5f2f2a587f0833','winner_check','code',1,'check.winner(winner)','03b4968fb7b517c50275b4a4327a0ca1','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('3c1fc1a3ad544150a5bd10cfcb134182','class_size','code',0,'def class_size(board):
    ...  # your code here','85f5b6a103ac068920a64a675b0012b9','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('888f7b968b1a4d3da142cbd435cee92d','class_size_check','code',1,'check.class_size(class_size)','62f4e2eb36414ea4d2eb0b20d1b8c563','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('cb7140202a3f40a183f93ef107c8665c','count_games','code',0,'def count_games(board):
    ...  # your code here','e4241e17f6269a06a25e94e2972847d8','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('6c30d686edf941ed8be46558e884dd26','count_games_check','code',1,'check.count_games(count_games)','25e1767f2bae0197a84c33e01eb58274','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('9e6a59a8a9794a72a3de4d5429c404b2','can_occur','code',0,'LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
LINES += [[0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]


def can_occur(board):
    x = any(all(board[i] == 1 for i in line) for line in LINES)
    o = any(all(board[i] == -1 for i in line) for line in LINES)
    ahead = sum(board)
    ...  # your code here
    return (ahead == 0 or ahead == 1) and not (x and o)','861c73396d53a3a9db70a19849feb529','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('0c0660fdc85742ad8309d976a7466573','can_occur_check','code',1,'check.can_occur(can_occur)','188aceac22733ca418adc6cd68b4bd99','38f05396cf3241f7928992cea5c28160');
INSERT INTO "source_cell" VALUES('29c92b203e0741448234662254db4f19','essay','markdown',0,'YOUR ANSWER HERE','ac3125b36e65a1541c06825b3b530688','38f05396cf3241f7928992cea5c28160');
CREATE TABLE student (
	id VARCHAR(128) NOT NULL, 
	first_name VARCHAR(128), 
	last_name VARCHAR(128), 
	email VARCHAR(128), 
	lms_user_id VARCHAR(128), 
	PRIMARY KEY (id)
);
INSERT INTO "student" VALUES('ada','Ada Lovelace',NULL,NULL,NULL);
INSERT INTO "student" VALUES('bob','Bob Byrne',NULL,NULL,NULL);
INSERT INTO "student" VALUES('kim','Kim Larsen',NULL,NULL,NULL);
CREATE TABLE submitted_assignment (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	student_id VARCHAR(128), 
	timestamp DATETIME, 
	extension DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (assignment_id, student_id), 
	FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	FOREIGN KEY(student_id) REFERENCES student (id)
);
INSERT INTO "submitted_assignment" VALUES('48ed494f713a4ff3a8e7bfa4c7801a6b','2c6dcb47d9644d6ca2c2e9245678546c','ada',NULL,NULL);
INSERT INTO "submitted_assignment" VALUES('c12621dcdc8f49af8dc2757360eedf9a','2c6dcb47d9644d6ca2c2e9245678546c','bob',NULL,NULL);
CREATE TABLE submitted_notebook (
	id VARCHAR(32) NOT NULL, 
	assignment_id VARCHAR(32), 
	notebook_id VARCHAR(32), 
	flagged BOOLEAN, 
	late_submission_penalty FLOAT, 
	PRIMARY KEY (id), 
	UNIQUE (notebook_id, assignment_id), 
	FOREIGN KEY(assignment_id) REFERENCES submitted_assignment (id), 
	FOREIGN KEY(notebook_id) REFERENCES notebook (id)
);
INSERT INTO "submitted_notebook" VALUES('808a31860b174ffaaacb84b7c3223cd3','48ed494f713a4ff3a8e7bfa4c7801a6b','38f05396cf3241f7928992cea5c28160',0,NULL);
INSERT INTO "submitted_notebook" VALUES('2ac589ce9899456294820f706a91def4','c12621dcdc8f49af8dc2757360eedf9a','38f05396cf3241f7928992cea5c28160',0,NULL);
CREATE TABLE task_cells (
	id VARCHAR(32) NOT NULL, 
	max_score FLOAT NOT NULL, 
	cell_type VARCHAR(8) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(id) REFERENCES base_cell (id)
);
COMMIT;
